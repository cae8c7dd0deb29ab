import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Config, Flags } from './config.js';
import { loadConfig } from './load-config.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosspoint-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const TOKEN = 'a-long-and-random-token-0123456789';

const URL = 'http://127.0.0.1:1/mcp';

const bearer = (token: string) => ({ url: URL, auth: { type: 'bearer', token } });

function load(
  file?: unknown,
  {
    flags = {},
    environment = {},
    name = 'crosspoint.json',
  }: { flags?: Flags; environment?: Record<string, string>; name?: string } = {},
): Config {
  if (file !== undefined)
    writeFileSync(join(folder, name), typeof file === 'string' ? file : JSON.stringify(file));
  return loadConfig({ flags, environment, folder, now: 7 });
}

describe('precedence', () => {
  const FILE = { server: { host: 'localhost', port: 3 }, admin: { token: TOKEN } };

  test.each<readonly [string, Parameters<typeof load>, number, string]>([
    ['nothing', [], 8080, 'default'],
    ['the file', [FILE], 3, 'file'],
    ['the environment over the file', [FILE, { environment: { CROSSPOINT_PORT: '2' } }], 2, 'environment'],
    ['a flag over all', [FILE, { environment: { CROSSPOINT_PORT: '2' }, flags: { port: 1 } }], 1, 'flag'],
    ['a flag of zero is a flag', [FILE, { flags: { port: 0 } }], 0, 'flag'],
    ['an empty variable is none', [FILE, { environment: { CROSSPOINT_PORT: '' } }], 3, 'file'],
  ])('%s', (_what, given, port, source) => {
    const config = load(...given);
    expect([config.server.port, config.sources['server.port']]).toEqual([port, source]);
  });

  test('a connector of the environment hides one of the file', () => {
    const file = {
      connectors: { db: { url: 'http://127.0.0.1:1/file' }, other: { url: 'http://127.0.0.1:1/other' } },
    };
    const { connectors, sources } = load(file, {
      environment: { MCP_SERVER_DB_URL: 'http://127.0.0.1:2/environment' },
    });
    expect(
      connectors.map(({ id, endpoint, source }) => [id, 'url' in endpoint && endpoint.url, source]),
    ).toEqual([
      ['db', 'http://127.0.0.1:2/environment', 'environment'],
      ['other', 'http://127.0.0.1:1/other', 'file'],
    ]);
    expect([sources['connectors.db'], sources['connectors.other']]).toEqual(['environment', 'file']);
  });
});

describe('the file', () => {
  test.each([
    ['crosspoint.yaml', 'connectors:\n  a: { url: "http://127.0.0.1:1" }\n'],
    ['crosspoint.yml', 'mcpServers: { a: { url: "http://127.0.0.1:1" } }'],
    ['crosspoint.json', '{"connectors":{"a":{"url":"http://127.0.0.1:1"}}}'],
    ['crosspoint.json', '\ufeff{"connectors":{"a":{"url":"http://127.0.0.1:1"}}}\r\n'],
    ['crosspoint.yaml', '\ufeffconnectors:\r\n  a: { url: "http://127.0.0.1:1" }\r\n'],
    ['crosspoint.jsonc', '// mine\n{"mcpServers":{"a":{"type":"http","url":"http://127.0.0.1:1",},},}'],
  ])('%s is found and read', (name, text) => {
    const config = load(text, { name });
    expect(config.configFile).toBe(join(folder, name));
    expect(config.connectors).toHaveLength(1);
  });

  test('one that is named must exist', () => {
    expect(() => load(undefined, { flags: { config: 'nowhere.yaml' } })).toThrow(
      /nowhere\.yaml: there is no such file/,
    );
    expect(load({}, { name: 'mine.json', flags: { config: 'mine.json' } }).configFile).toBe(
      join(folder, 'mine.json'),
    );
  });

  test.each<readonly [string, unknown, RegExp]>([
    ['an unknown key', { sever: {} }, /sever/],
    ['an unknown key inside', { server: { prot: 1 } }, /server: .*prot/],
    ['a wrong type', { server: { port: 'x' } }, /server\.port/],
    ['a port out of range', { server: { port: 65_536 } }, /server\.port/],
    ['JSON that is none', '{"server": {\n  "port": }}', /crosspoint\.json: line 2/],
    ['a list', [], /crosspoint\.json/],
    ['an empty file', '', /crosspoint\.json: line 1: the file is empty/],
    [
      'a connector twice under one key',
      '{"connectors": {\n  "a": { "url": "http://127.0.0.1:1" },\n  "a": { "url": "http://127.0.0.1:2" } }}',
      /crosspoint\.json: line 3: "a" stands there twice$/,
    ],
    [
      'a connector without an address',
      { connectors: { a: {} } },
      /^connectors\.a\.url: a connector needs a url or a command$/,
    ],
    [
      'a connector twice',
      { connectors: { a: { url: 'http://127.0.0.1:1' } }, mcpServers: { a: { url: 'http://127.0.0.1:1' } } },
      /^a stands in connectors and in mcpServers$/,
    ],
    [
      'a connector that is not valid',
      { connectors: { a: { url: 'nope' } } },
      /^connectors\.a\.url: is not a URL$/,
    ],
    [
      'a connector with a bad id',
      { connectors: { 'a b': { url: 'http://127.0.0.1:1' } } },
      /^connectors\.a b\.id: /,
    ],
    ['an agent with a bad id', { agents: { 'a b': {} } }, /"a b" is not a name/],
    ['a short key', { agents: { a: { keys: ['short'] } } }, /^a key of agent a is too short/],
    [
      'a key anybody guesses',
      { agents: { a: { keys: ['aaaaaaaaaaaaaaaaaaaaaaaa'] } } },
      /^a key of agent a is too easy to guess/,
    ],
    ['a weak admin token', { admin: { token: 'changeme' } }, /^admin\.token is too short/],
    ...[
      'changeme-changeme-changeme',
      '12345678901234567890123456789012',
      'please-CHANGE_ME-before-use-7',
      'replace-this-with-a-random-one',
    ].map(
      (token) => [`the token ${token}`, { admin: { token } }, /^admin\.token is too easy to guess/] as const,
    ),
    [
      'one key for two agents',
      { agents: { a: { keys: [TOKEN] }, b: { keys: [`${TOKEN}-2`, TOKEN] } } },
      /^a key of agent a is also a key of agent b: each must be shown by one only$/,
    ],
    [
      'an admin token that is the key of an agent',
      { admin: { token: TOKEN }, agents: { a: { keys: [TOKEN] } } },
      /^admin\.token is also a key of agent a: /,
    ],
    [
      'two admins with one token',
      {
        admin: {
          token: TOKEN,
          accounts: { a: { role: 'owner', token: TOKEN }, b: { role: 'viewer', token: `${TOKEN}-2` } },
        },
      },
      /^admin\.token is also admin\.accounts\.a\.token: /,
    ],
    [
      'a transport spelled in two ways that differ',
      { connectors: { a: { url: 'http://127.0.0.1:1', transport: 'sse', type: 'http' } } },
      /^connectors\.a\.type: contradicts the transport sse$/,
    ],
    [
      'a policy file that does not exist',
      { policies: ['./none.cedar'] },
      /none\.cedar: there is no such file/,
    ],
    [
      'a prompt file that does not exist',
      { connectors: { a: { url: 'http://127.0.0.1:1', prompts: './none.md' } } },
      /none\.md cannot be read/,
    ],
    ['an empty toolset', { toolsets: { s: { tools: [] } } }, /toolsets\.s\.tools/],
  ])('%s stops the start and is named', (_what, file, message) => {
    expect(() => load(file)).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        message: expect.stringMatching(message) as string,
      }) as Error,
    );
  });

  test.each(['', 'null', '# nothing here'])('an empty YAML file is an empty configuration: %j', (text) => {
    expect(load(text, { name: 'crosspoint.yaml' }).connectors).toEqual([]);
  });

  test('sections of which only the heading or comments are left say nothing', () => {
    const text = 'connectors:\n  # a: { url: http://127.0.0.1:1 }\nserver:\n  port: 3\nagents: # none\n';
    const { connectors, agents, server } = load(text, { name: 'crosspoint.yaml' });
    expect([connectors, agents, server.port]).toEqual([[], [], 3]);
  });

  test('a text that begins with an asterisk is not quoted back', () => {
    const text = 'admin:\n  token: *s3cret-0123456789abcdef\n';
    const failure = (): unknown => load(text, { name: 'crosspoint.yaml' });
    expect(failure).toThrow(/crosspoint\.yaml: an alias .* quote a text/);
    expect(failure).not.toThrow(/s3cret/);
  });

  test('a YAML error names the line', () => {
    expect(() => load('server:\n  port: [1\n', { name: 'crosspoint.yaml' })).toThrow(
      /line [23], column \d+$/,
    );
  });

  test('paths are relative to the file', () => {
    writeFileSync(join(folder, 'guide.md'), '# help\n> Helps.\nAsk {{what}}.');
    writeFileSync(join(folder, 'one.cedar'), '\ufeffpermit(principal, action, resource);');
    const config = load({
      connectors: { a: { url: 'http://127.0.0.1:1', prompts: './guide.md' } },
      policies: ['./*.cedar'],
      storage: { url: 'sqlite:./hub.db' },
    });
    expect(config.connectors[0]?.prompts).toMatchObject([
      { name: 'help', description: 'Helps.', text: 'Ask {{what}}.' },
    ]);
    expect(config.policies).toMatchObject([
      { id: 'one', source: 'file', text: 'permit(principal, action, resource);' },
    ]);
    expect(config.storageUrl).toBe(`sqlite:${join(folder, 'hub.db')}`);
    expect(config.watched).toEqual([join(folder, 'crosspoint.json'), folder, join(folder, 'guide.md')]);
  });

  test('a policy that is named whole is watched itself, not its folder', () => {
    writeFileSync(join(folder, 'one.cedar'), 'permit(principal, action, resource);');
    const { watched } = load({ policies: ['./one.cedar'] });
    expect(watched).toEqual([join(folder, 'crosspoint.json'), join(folder, 'one.cedar')]);
  });

  test('an agent may name a key twice, and strong secrets are not taken for weak ones', () => {
    const keys = [TOKEN, TOKEN, 'ffffffff00000000aaaa9999cdef7777', '0123456789abcdef0123456789abcdef'];
    expect(load({ agents: { ci: { keys } } }).agents[0]?.keys).toHaveLength(4);
    const same = { url: 'http://127.0.0.1:1', transport: 'streamable_http', type: 'http' };
    expect(load({ connectors: { a: same } }).connectors).toHaveLength(1);
  });

  test('keys of agents are kept as digests only', () => {
    const { agents } = load({ agents: { ci: { keys: [TOKEN], tags: ['robots'] } } });
    expect(agents).toMatchObject([
      {
        agent: { id: 'ci', name: 'ci', enabled: true, tags: ['robots'] },
        keys: [{ last4: TOKEN.slice(-4) }],
      },
    ]);
    expect(JSON.stringify(agents)).not.toContain(TOKEN);
  });
});

describe('references', () => {
  test('fetch from the environment and from files, anywhere in a text', () => {
    writeFileSync(join(folder, 'token.txt'), 'from-file\n');
    const config = load(
      {
        connectors: {
          a: {
            url: 'http://127.0.0.1:${env:PORT}/mcp',
            headers: { A: '${file:token.txt}', B: 'x-${env:PORT}-${env:PORT}' },
          },
        },
      },
      { environment: { PORT: '99' } },
    );
    const [connector] = config.connectors;
    expect(connector?.endpoint).toMatchObject({ url: 'http://127.0.0.1:99/mcp' });
    const values = connector?.auth.type === 'header' ? connector.auth.values : {};
    expect([values['A']?.reveal(), values['B']?.reveal()]).toEqual(['from-file', 'x-99-99']);
  });

  test.each([
    ['${env:NOT_SET}', /NOT_SET\}: the variable is not set$/],
    ['${file:nowhere}', /nowhere\}: the file cannot be read$/],
  ])('%s that leads nowhere stops the start, and is named with its place', (reference, message) => {
    expect(() => load({ admin: { token: reference } })).toThrow(message);
    expect(() => load({ admin: { token: reference } })).toThrow(/^admin\.token: \$/);
    expect(() => load({ agents: { ci: { keys: [TOKEN, reference] } } })).toThrow(/^agents\.ci\.keys\.1: \$/);
  });

  test.each([
    ['admin.token', { admin: { token: '${CROSSPOINT_ADMIN_TOKEN}' } }],
    ['agents.ci.keys.0', { agents: { ci: { keys: ['${CI_AGENT_KEY:-none}'] } } }],
    ['connectors.a.auth.token', { connectors: { a: bearer('${TOKEN}') } }],
    ['connectors.a.auth.token', { connectors: { a: bearer('${env:}') } }],
    ['mcpServers.a.headers.A', { mcpServers: { a: { url: URL, headers: { A: 'Bearer ${TOKEN}' } } } }],
    ['mcpServers.a.env.A', { mcpServers: { a: { command: 'a', env: { A: '${input:token}' } } } }],
  ])('one as other programs write it, in %s, stops the start', (place, file) => {
    expect(() => load(file)).toThrow(
      `${place}: \${…} is not replaced here: write \${env:NAME} for a variable, \${file:PATH} for the content of a file`,
    );
  });

  test('arguments, prompts and variables of a program may have such text', () => {
    const args = ['-c', 'echo ${HOME} ${env:PORT}'];
    const prompts = [{ name: 'p', text: 'Write ${x}.' }];
    const env = { FORMAT: '${level}: ${message}' };
    const { connectors } = load(
      { connectors: { a: { command: 'sh', args, env, prompts } } },
      { environment: { PORT: '99' } },
    );
    expect(connectors[0]?.endpoint).toMatchObject({ args: ['-c', 'echo ${HOME} 99'] });
  });

  test('the same name in several objects is not the same key', () => {
    const text = '{"connectors": {"a": {"url": "http://127.0.0.1:1"}, "url": {"url": "http://127.0.0.1:2"}}}';
    expect(load(text).connectors).toHaveLength(2);
  });

  test('what a reference brings is not looked at again', () => {
    const { agents } = load(
      { agents: { a: { name: '${env:NAME}' } } },
      { environment: { NAME: '${env:SECRET}', SECRET: 'canary' } },
    );
    expect(agents[0]?.agent.name).toBe('${env:SECRET}');
  });

  test('B2.6: elsewhere they are plain text', () => {
    const { connectors } = load(
      {},
      { environment: { MCP_SERVER_A_URL: 'http://127.0.0.1:1/${env:SECRET}', SECRET: 'canary' } },
    );
    expect(JSON.stringify(connectors)).not.toContain('canary');
  });
});

describe('exposure', () => {
  test.each(['0.0.0.0', '::', '192.168.1.5', 'hub.example.com'])(
    'B0.1: listening on %s without an admin token is refused',
    (host) => {
      expect(() => load({ server: { host } })).toThrow(/refusing to listen .* without authentication/);
      expect(load({ server: { host }, admin: { token: TOKEN } }).server.host).toBe(host);
    },
  );

  test.each(['127.0.0.1', '127.8.8.8', 'localhost', '::1'])('%s needs none', (host) => {
    expect(load({ server: { host } }).adminToken).toBeUndefined();
  });
});

test.each([
  [{ flags: { logFormat: 'xml' as never } }, /log format must be one of/],
  [{ environment: { CROSSPOINT_LOG_LEVEL: 'loud' } }, /log level must be one of/],
  [{ environment: { CROSSPOINT_PORT: 'http' } }, /port must be a number/],
  [{ environment: { CROSSPOINT_WORKERS: 'many' } }, /workers must be a number from 1 to 64/],
  [
    { flags: { workers: 2 }, environment: { CROSSPOINT_STORAGE_URL: 'sqlite::memory:' } },
    /server\.workers: 2 workers need a store/,
  ],
])('%j is refused', (given, message) => {
  expect(() => load({}, given)).toThrow(message);
});
