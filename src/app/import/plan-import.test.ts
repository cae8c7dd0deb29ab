import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { clientFiles, type ClientPlace } from './clients.js';
import type { ImportedServer } from './imported-server.js';
import { planImport } from './plan-import.js';
import { readClientFile } from './read-client-file.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosspoint-import-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, content: object | string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
}

function plan(files: readonly string[], place: ClientPlace): readonly ImportedServer[] {
  const servers = files.flatMap((file) => readClientFile(file, place).servers);
  return planImport({ content: { servers, inputs: [] }, place, answers: {}, variables: {}, now: 0 });
}

describe('an imported file means what it means to its client:', () => {
  const script = { command: 'run', args: ['D=/tmp; exec ${D}/x --level ${LEVEL:-3}'] };
  const bridge = {
    command: 'npx',
    args: ['mcp-remote', 'https://remote.example.com/mcp', '--header', 'Authorization: ${AUTH_HEADER}'],
    env: { AUTH_HEADER: 'Bearer bridge-secret-0123456789' },
  };
  const bridged = {
    connector: { args: bridge.args, env: { AUTH_HEADER: '${env:AUTH_HEADER}' } },
    variables: { AUTH_HEADER: '[secret]' },
  };
  const remote = { url: 'https://remote.example.com/mcp' };
  const headers = { Authorization: 'Bearer $SEARCH_KEY' };
  const off = { connector: { enabled: false }, notes: ['disabled, as there'] };

  test.each<readonly [what: string, file: string, content: object | string, expected: object]>([
    [
      'text for a script',
      'claude_desktop_config.json',
      { mcpServers: { it: script } },
      { connector: script },
    ],
    [
      'text for a script in an editor',
      '.vscode/mcp.json',
      { servers: { it: script } },
      { connector: script },
    ],
    [
      'a list of servers, and a command in one piece with its arguments',
      'any.json',
      { mcpServers: [{ name: 'it', command: ['node', 'x.mjs', 1], args: ['y'] }] },
      { connector: { command: 'node', args: ['x.mjs', '1', 'y'] }, notes: [] },
    ],
    ['text for a bridge', 'claude_desktop_config.json', { mcpServers: { it: bridge } }, bridged],
    ['text for a bridge in any file', 'any.json', { mcpServers: { it: bridge } }, bridged],
    [
      'text of codex, and variables that are not set',
      '.codex/config.toml',
      '[mcp_servers.it]\ncommand = "x"\nenv = { TEMPLATE = "${keep}" }\nenv_vars = ["SEARCH_KEY", "NOT_SET"]',
      {
        connector: { env: { TEMPLATE: '${env:TEMPLATE}', SEARCH_KEY: '${env:SEARCH_KEY}' } },
        variables: { TEMPLATE: '[secret]' },
        notes: ['left out: NOT_SET (not set)'],
      },
    ],
    [
      'headers of codex whose variables are not set',
      'config.toml',
      '[mcp_servers.it]\nurl = "https://remote.example.com/mcp"\nbearer_token_env_var = "SEARCH_KEY"\nenv_http_headers = { "X-Team" = "NOT_SET" }',
      {
        connector: { auth: { type: 'bearer' } },
        credential: { token: '[secret]' },
        notes: ['left out: NOT_SET (not set)'],
      },
    ],
    [
      'more time than the hub gives',
      'config.toml',
      '[mcp_servers.it]\ncommand = "x"\ntool_timeout_sec = 7200',
      { connector: { timeouts: { requestMs: 3_600_000 } } },
    ],
    [
      'an hour in seconds',
      'cline_mcp_settings.json',
      { mcpServers: { it: { ...remote, type: 'streamableHttp', timeout: 3600 } } },
      { connector: { timeouts: { requestMs: 3_600_000 } } },
    ],
    [
      'a folder of the project',
      '.vscode/mcp.json',
      { servers: { it: { command: 'x', cwd: 'tools' } } },
      { connector: { cwd: expect.stringMatching(/crosspoint-import-\w+\/tools$/) as string } },
    ],
    [
      'a local server',
      'mcp-config.json',
      { mcpServers: { it: { type: 'local', command: 'x', tools: ['*'] } } },
      { kind: 'local', notes: ['left out: tools'] },
    ],
    [
      'a client of an authorization server',
      '.cursor/mcp.json',
      { mcpServers: { it: { ...remote, auth: { CLIENT_ID: 'mine' } } } },
      {
        connector: { auth: { type: 'oauth' } },
        notes: ['left out: auth.CLIENT_ID', 'it signs in with OAuth'],
      },
    ],
    [
      'variables of gemini, and the address that goes first',
      '.gemini/settings.json',
      { mcpServers: { it: { url: 'https://old.example.com/sse', httpUrl: remote.url, headers } } },
      { connector: { ...remote, auth: { type: 'bearer' } }, credential: { token: '[secret]' } },
    ],
    [
      'a server that gemini leaves out',
      '.gemini/settings.json',
      { mcp: { excluded: ['it'] }, mcpServers: { it: { command: 'x' } } },
      off,
    ],
    [
      'servers that gemini is restricted to',
      '.gemini/settings.json',
      { mcp: { allowed: ['other'] }, mcpServers: { it: { command: 'x' } } },
      off,
    ],
  ])('%s', (_, file, content, expected) => {
    const path = join(folder, file);
    write(path, content);
    const environment = { SEARCH_KEY: 'search-secret-0123456789' };
    const planned = plan([path], { home: join(folder, 'home'), folder, platform: 'linux', environment });
    expect(JSON.parse(JSON.stringify(planned))).toMatchObject([expected]);
  });
});

test('what a user of claude-code turned off or refused is there, but disabled', () => {
  const user = join(folder, 'user');
  const names = ['fine', 'off', 'refused', 'refused-early', 'refused-by-all'];
  write(join(folder, '.mcp.json'), {
    mcpServers: Object.fromEntries(names.map((name) => [name, { command: name }])),
  });
  write(join(folder, '.claude/settings.local.json'), { disabledMcpjsonServers: ['refused'] });
  write(join(folder, '.claude/settings.json'), { disabledMcpjsonServers: ['refused-by-all', 'mine'] });
  write(join(user, '.claude.json'), {
    mcpServers: { mine: { command: 'mine' }, 'mine-off': { command: 'mine' } },
    projects: {
      [folder]: { disabledMcpServers: ['off', 'mine-off'], disabledMcpjsonServers: ['refused-early'] },
      '/elsewhere': { disabledMcpServers: ['fine', 'mine'] },
    },
  });
  const environment = { CLAUDE_CONFIG_DIR: user };
  const place: ClientPlace = { home: join(folder, 'home'), folder, platform: 'linux', environment };
  const planned = plan(clientFiles('claude-code', place), place);
  const enabled = planned.filter((server) => server.kind === 'local' && server.connector.enabled !== false);
  expect(planned.map(({ name }) => name)).toEqual([...names, 'mine', 'mine-off']);
  expect(enabled.map(({ name }) => name)).toEqual(['fine', 'mine']);
});
