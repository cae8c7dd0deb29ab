import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../scripts/repository.js';
import { startUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';
import { Workplace } from './workplace.js';

const ENV = {
  SHELL_SECRET_TOKEN: 'shell-secret-0123456789',
  SEARCH_KEY: 'search-secret-0123456789',
  CONTEXT7_LOCAL_TOKEN: 'context-secret-0123456789',
  FIGMA_OAUTH_TOKEN: 'figma-secret-0123456789',
};
/** Every secret of the files and of the environment above. */
const SECRETS = [
  ...Object.values(ENV),
  'fallback-tracker-token',
  'hunter2hunter2',
  'ghp_desktop0123456789abcdef0123456789',
  'bridge-secret-0123456789',
  'cursor-two-secret-1',
  'windsurf-figma-token-1',
  'ctx7sk-0123456789abcdef',
];

interface Planned {
  readonly name: string;
  readonly id: string;
  readonly kind: 'remote' | 'local' | 'unusable';
  readonly reason?: string;
  readonly connector: Readonly<Record<string, unknown>>;
  readonly credential?: object;
  readonly variables?: object;
  readonly notes: readonly string[];
}

let place: Workplace;
beforeAll(async () => {
  place = await Workplace.open();
});
afterAll(() => place?.close());

/** Puts a file of a client where the client keeps it. */
function install(fixture: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  cpSync(join(ROOT, 'test/cli/clients', fixture), path);
}

async function plan(client: string): Promise<Readonly<Record<string, Planned>>> {
  const { code, stdout, stderr } = await place.run(['import', '--from', client, '--dry-run', '--json'], {
    env: ENV,
  });
  expect([code, stderr]).toEqual([0, '']);
  for (const secret of SECRETS) expect(stdout).not.toContain(secret);
  return Object.fromEntries((JSON.parse(stdout) as Planned[]).map((server) => [server.name, server]));
}

describe('what would become of the servers of', () => {
  test('claude-code, those of the project before those of the user', async () => {
    install('claude-code.json', join(place.home, '.claude.json'));
    install('claude-code.mcp.json', place.path('.mcp.json'));
    const servers = await plan('claude-code');
    expect(Object.keys(servers)).toEqual(['project-db', 'tracker', 'files']);
    expect(servers['tracker']).toMatchObject({
      kind: 'remote',
      connector: { url: 'https://tracker.example.com/mcp', auth: { type: 'bearer' } },
      credential: { token: '[secret]' },
    });
    expect(servers['files']).toMatchObject({
      kind: 'local',
      connector: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/srv/files'] },
      variables: {},
    });
    expect(servers['project-db']).toMatchObject({
      connector: {
        args: ['./db-server.mjs', '--connection', '${env:CONNECTION}'],
        env: { DB_PASSWORD: '${env:DB_PASSWORD}', LOG_LEVEL: 'debug', FROM_SHELL: '${env:FROM_SHELL}' },
        cwd: place.folder,
        timeouts: { requestMs: 45_000 },
      },
      variables: { CONNECTION: '[secret]', DB_PASSWORD: '[secret]', FROM_SHELL: '[secret]' },
    });
  });

  test('claude-desktop', async () => {
    install('claude-desktop.json', join(place.home, '.config/Claude/claude_desktop_config.json'));
    const servers = await plan('claude-desktop');
    expect(servers['GitHub (work)']).toMatchObject({
      id: 'GitHub-work',
      kind: 'local',
      connector: { env: { GITHUB_PERSONAL_ACCESS_TOKEN: '${env:GITHUB_PERSONAL_ACCESS_TOKEN}' } },
    });
    expect(servers['bridge']).toMatchObject({
      connector: { args: expect.arrayContaining(['Authorization: Bearer ${env:AUTHORIZATION}']) },
    });
    expect(servers['bridge']?.notes.join()).toContain(
      'crosspoint connector add bridge --url https://remote.example.com/mcp',
    );
  });

  test('cursor', async () => {
    install('cursor.json', place.path('.cursor/mcp.json'));
    const servers = await plan('cursor');
    expect(servers['search']).toMatchObject({
      connector: { auth: { type: 'api_key', header: 'X-API-Key' } },
      credential: { value: '[secret]' },
    });
    expect(servers['two-headers']).toMatchObject({
      connector: { auth: { type: 'header', headers: { 'X-API-Key': null, 'X-Team': null } } },
    });
    expect(servers['home']).toMatchObject({
      connector: { command: `${place.home}/bin/server`, args: ['--root', place.folder] },
    });
  });

  test('vscode, with the values it would ask for', async () => {
    install('vscode.json', join(place.home, '.config/Code/User/mcp.json'));
    const servers = await plan('vscode');
    expect(servers['perplexity']).toMatchObject({
      kind: 'unusable',
      reason: expect.stringContaining('${input:perplexity-key}'),
    });
    expect(servers['regional']).toMatchObject({ connector: { url: 'https://eu.example.com/mcp' } });
    expect(servers['events']).toMatchObject({ connector: { transport: 'sse' } });
    expect(servers['socket']).toMatchObject({
      kind: 'unusable',
      reason: 'the transport "ws" is not supported',
    });
    const answered = await place.run(
      ['import', '--from', 'vscode', '--dry-run', '--json', '--input-env', 'perplexity-key=KEY'],
      { env: { KEY: 'pplx-secret' } },
    );
    expect(JSON.parse(answered.stdout)).toContainEqual(
      expect.objectContaining({
        name: 'perplexity',
        kind: 'local',
        variables: { PERPLEXITY_API_KEY: '[secret]' },
      }),
    );
    expect(answered.stdout).not.toContain('pplx-secret');
  });

  test('windsurf', async () => {
    install('windsurf.json', join(place.home, '.codeium/windsurf/mcp_config.json'));
    const servers = await plan('windsurf');
    expect(servers['figma']).toMatchObject({
      connector: { url: 'https://figma.example.com/mcp', auth: { type: 'bearer' } },
      notes: ['left out: disabledTools'],
    });
    expect(servers['off']).toMatchObject({ connector: { command: 'py', enabled: false } });
  });

  test('codex', async () => {
    install('codex.toml', join(place.home, '.codex/config.toml'));
    const servers = await plan('codex');
    expect(servers['context7']).toMatchObject({
      connector: {
        args: ['-y', '@upstash/context7-mcp'],
        env: { CONTEXT7_API_KEY: '${env:CONTEXT7_API_KEY}', MODE: 'fast' },
        timeouts: { requestMs: 90_500 },
      },
      variables: { CONTEXT7_API_KEY: '[secret]', CONTEXT7_LOCAL_TOKEN: '[secret]' },
    });
    expect(servers['figma']).toMatchObject({
      connector: { auth: { type: 'header', headers: { Authorization: null, 'X-Figma-Region': null } } },
    });
    expect(servers['off']).toMatchObject({ connector: { enabled: false } });
  });
});

describe('in a project', () => {
  const write = (path: string, content: object | string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  };
  const planIn = async (folder: string, client: string, env = {}): Promise<readonly Planned[]> => {
    const outcome = await place.run(['import', '--from', client, '--dry-run', '--json'], { folder, env });
    expect(outcome.stderr).toBe('');
    return JSON.parse(outcome.stdout) as readonly Planned[];
  };

  test("claude-code's servers of one person go before those of the project, and run there", async () => {
    const folder = place.path('project');
    const user = place.path('claude');
    write(join(folder, '.mcp.json'), { mcpServers: { a: { command: 'shared' }, b: { command: 'shared' } } });
    write(join(user, '.claude.json'), {
      mcpServers: { a: { command: 'user' }, b: { command: 'user' }, c: { command: 'user' } },
      projects: { [folder]: { mcpServers: { a: { command: 'own' } } } },
    });
    const servers = await planIn(folder, 'claude-code', { CLAUDE_CONFIG_DIR: user });
    expect(servers.map(({ name, connector }) => [name, connector['command'], connector['cwd']])).toEqual([
      ['a', 'own', folder],
      ['b', 'shared', folder],
      ['c', 'user', undefined],
    ]);
  });

  test('a file of variables may lie at home or in the project', async () => {
    const folder = place.path('editor');
    const server = (envFile: string) => ({ command: 'node', envFile });
    write(join(place.home, 'mine.env'), 'WHERE=home\n');
    write(join(folder, 'mine.env'), 'WHERE=project\n');
    write(join(folder, '.vscode/mcp.json'), {
      servers: {
        tilde: server('~/mine.env'),
        named: server('${userHome}/mine.env'),
        folder: server('${workspaceFolder}/mine.env'),
        relative: server('mine.env'),
        variable: server('${env:ENV_NAME}.env'),
        missing: server('${env:NOT_THERE}/mine.env'),
      },
    });
    const servers = await planIn(folder, 'vscode', { ENV_NAME: 'mine', XDG_CONFIG_HOME: folder });
    expect(servers.map(({ name, connector, reason }) => [name, connector?.['env'] ?? reason])).toEqual([
      ['tilde', { WHERE: 'home' }],
      ['named', { WHERE: 'home' }],
      ['folder', { WHERE: 'project' }],
      ['relative', { WHERE: 'project' }],
      ['variable', { WHERE: 'project' }],
      ['missing', expect.stringMatching(/^its envFile needs a value for \$\{env:NOT_THERE\}/)],
    ]);
  });
});

test('a file and a program at once: 2', async () => {
  const { code, stderr } = await place.run(['import', 'mcp.json', '--from', 'cursor', '--dry-run']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('either a file or --from')]);
});

test('a program without files: 1, with the places looked at', async () => {
  const { code, stderr } = await place.run(['import', '--from', 'cursor'], { folder: place.home });
  expect([code, stderr]).toEqual([1, expect.stringContaining('.cursor/mcp.json')]);
});

test.each([
  ['no JSON', '{"mcpServers":', /line 1: /],
  ['nothing of ours', '{"other":{}}', /no servers are described here/],
])('a file with %s ends with 78', async (_, text, message) => {
  writeFileSync(place.path('bad.json'), text);
  const { code, stderr } = await place.run(['import', 'bad.json', '--dry-run']);
  expect([code, stderr]).toEqual([78, expect.stringMatching(message)]);
});

describe('carried out', () => {
  let upstream: ScriptedUpstream;
  beforeAll(async () => {
    const tools = [{ name: 'look', inputSchema: { type: 'object' } }];
    upstream = await startUpstream({
      tools,
      tokens: ['remote-secret-0123456789'],
      protect: 'everything',
      call: () => ({ content: [] }),
    });
    const sample = {
      command: process.execPath,
      args: [join(ROOT, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js')],
    };
    const servers = {
      'My Server': { ...sample, env: { MY_API_KEY: 'local-secret-0123456789' } },
      remote: { url: upstream.url, headers: { Authorization: 'Bearer remote-secret-0123456789' } },
      broken: { type: 'ws', url: 'ws://x' },
    };
    writeFileSync(place.path('mcp.json'), JSON.stringify({ mcpServers: servers }));
    await place.serve();
  });
  afterAll(() => upstream?.close());

  test('every server ends where it belongs, and no secret in clear', async () => {
    const { code, stdout, stderr } = await place.run(['import', 'mcp.json', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual([
      { name: 'remote', id: 'remote', state: 'imported', tools: 1 },
      { name: 'broken', state: 'failed', problem: 'the transport "ws" is not supported' },
      { name: 'My Server', id: 'My-Server', state: 'imported', tools: expect.any(Number) },
    ]);
    expect(stderr).toContain('MY_API_KEY is a secret');
    const folder = place.path('.crosspoint');
    const kept = readdirSync(folder, { recursive: true, withFileTypes: true })
      // Records of processes come and go.
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('children'))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    const written = [stdout, stderr, readFileSync(place.path('crosspoint.yaml'), 'utf8'), ...kept].join('\n');
    expect(written).not.toMatch(/(?:local|remote)-secret-0123456789/);
    expect(await place.run(['call', 'remote__look'])).toMatchObject({ code: 0 });
    expect((await place.run(['call', 'My-Server__get-env'])).stdout).toContain('local-secret-0123456789');
  });

  test('again it finds them there, and with --only takes one', async () => {
    const outcomes = await place.json<object[]>(['import', 'mcp.json', '--only', 'remote']);
    expect(outcomes).toEqual([{ name: 'remote', id: 'remote', state: 'exists' }]);
    expect(await place.run(['import', 'mcp.json', '--only', 'nobody'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There are: My Server, remote, broken'),
    });
  });

  test('a server whose secret the hub does not take is not there afterwards', async () => {
    const unfit = { url: upstream.url, headers: { Authorization: 'Bearer “remote-secret-0123456789”' } };
    writeFileSync(place.path('unfit.json'), JSON.stringify({ mcpServers: { unfit } }));
    const { code, stdout } = await place.run(['import', 'unfit.json', '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      [{ name: 'unfit', id: 'unfit', state: 'failed', problem: expect.any(String) }],
    ]);
    expect(await place.run(['connector', 'show', 'unfit'])).toMatchObject({ code: 1 });
  });
});
