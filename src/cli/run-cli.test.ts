import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Cli } from './cli.js';
import { runCli } from './run-cli.js';
import { createTerminal } from './terminal/terminal.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosspoint-run-cli-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command line in this process, with nothing around it. */
async function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const texts = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr') =>
    ({ write: (text: string) => (texts[name] += text) }) as unknown as NodeJS.WriteStream;
  let code = 0;
  const stdin = {} as NodeJS.ReadStream;
  const cli: Cli = {
    terminal: createTerminal({ stdin, stdout: stream('stdout'), stderr: stream('stderr'), environment }),
    environment,
    folder,
    stdin,
    setExitCode: (given) => (code = given),
  };
  await runCli(cli, args);
  return { code, ...texts };
}

test.each<readonly [string, readonly string[], string]>([
  ['no command', [], 'Usage: crosspoint'],
  ['an unknown command', ['nonsense'], "unknown command 'nonsense'"],
  ['a command that is nearly one', ['tool'], 'Did you mean tools?'],
  ['an unknown option', ['tools', '--nonsense'], "unknown option '--nonsense'"],
  ['a missing argument', ['connector', 'show'], "missing required argument 'id'"],
  [
    'a missing option',
    ['policy', 'explain', '--agent', 'a'],
    "required option '--tool <tool>' not specified",
  ],
  ['a wrong choice', ['events', '--outcome', 'bad'], 'Allowed choices are ok'],
  ['a wrong number', ['events', '--limit', '-1'], 'It must be a whole number.'],
  ['a wrong port', ['serve', '--port', 'many'], 'It must be a number from 0 to 65535.'],
  ['a wrong time', ['call', 'x', '--timeout', '0'], 'It must be a number of seconds'],
  ['an address that no server has', ['doctor', 'ftp://example.com'], 'must be an http or https URL'],
  ['half an address to look at', ['doctor', 'localhost:8005/mcp'], 'begins with http:// or https://'],
  ['a password in an address', ['doctor', 'http://a:b@c.example/mcp'], 'must not contain a user name'],
  ['neither address nor command', ['connector', 'add', 'x'], 'nothing to add'],
  ['address and command', ['connector', 'add', 'x', '--url', 'http://a', '--', 'b'], 'not both'],
  [
    'a command with options of an address',
    ['connector', 'add', 'x', '--bearer-env', 'T', '--', 'b'],
    '--bearer-env belongs to --url',
  ],
  [
    'an address with options of a command',
    ['connector', 'add', 'x', '--url', 'http://a', '--cwd', '/'],
    'belong to a command',
  ],
  [
    'two kinds of credential',
    ['connector', 'add', 'x', '--url', 'http://a', '--oauth', '--header', 'A: b'],
    'use only one of',
  ],
  [
    'a header that is none',
    ['connector', 'add', 'x', '--url', 'http://a', '--header', 'nonsense'],
    'is not a header',
  ],
  [
    'a variable that is not set',
    ['connector', 'add', 'x', '--url', 'http://a', '--bearer-env', 'T'],
    'the variable T is not set',
  ],
  [
    'a variable in a header that is not set',
    ['connector', 'add', 'x', '--url', 'http://a', '--header', 'A: ${env:T}'],
    'the variable T is not set',
  ],
  ['a pair that is none', ['connector', 'add', 'x', '--env', '=1', '--', 'b'], 'is not a variable'],
  ['an address of the hub that is none', ['tools', '--url', 'hub'], 'is not a URL'],
  [
    'an address of the hub with a password',
    ['tools', '--url', 'http://a:b@c'],
    'must not contain a password',
  ],
  ['nothing to import', ['import'], 'nothing to import'],
  ['a word that is no argument', ['call', 'x', 'word'], '"word" is not an argument'],
  ['arguments that are no JSON', ['call', 'x', '--args', '{bad'], '--args cannot be read'],
  ['two kinds of arguments', ['call', 'x', 'a=1', '--args', '{}'], 'not both'],
  [
    'arguments to explain that are no object',
    ['policy', 'explain', '--agent', 'a', '--tool', 't', '--args', '[1]'],
    '--args must be a JSON object',
  ],
])('%s: 2, and why', async (_, args, message) => {
  const { code, stdout, stderr } = await run(args);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
});

test.each<readonly [string, readonly string[], string]>([
  ['an unknown command', ['nonsense', '--json'], "unknown command 'nonsense'"],
  ['half a command', ['agent', 'key', '--json'], "unknown option '--json'"],
  ['a missing argument', ['connector', 'show', '--json'], "missing required argument 'id'"],
  ['a wrong port', ['serve', '--port', 'many', '--json'], 'It must be a number from 0 to 65535.'],
  ['neither address nor command', ['connector', 'add', 'x', '--json'], 'nothing to add'],
])('with --json %s is one JSON document', async (_, args, message) => {
  const { code, stdout, stderr } = await run(args);
  expect([code, stdout]).toEqual([2, '']);
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: 'usage', message: expect.stringContaining(message) },
  });
});

test('help and version: 0, on stdout', async () => {
  expect(await run(['--version'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    stderr: '',
  });
  expect(await run(['--help'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('crosspoint call sample__echo text=hello'),
  });
  expect(await run(['call', '--help'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Examples:\n  crosspoint call'),
  });
});

test('without a hub: 1, and what to do', async () => {
  const { code, stdout, stderr } = await run(['tools']);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('no hub is running for the data folder .crosspoint');
  expect(stderr).toContain('crosspoint serve');
});

test('with --json the failure is JSON as well', async () => {
  const { code, stderr } = await run(['connector', 'list', '--json', '--url', 'http://127.0.0.1:9'], {
    CROSSPOINT_ADMIN_TOKEN: 'x',
  });
  expect(code).toBe(1);
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: 'hub_not_running', message: 'the hub is not running at http://127.0.0.1:9' },
  });
});

test('with --json nothing but the failure is on stderr, however long it takes; a wrong value is 2', async () => {
  const error = { code: 'invalid_request', message: 'name: is too long', details: { field: 'name' } };
  const slowHub = createServer((_, response) => {
    // Longer than commands wait before they say what they are doing.
    setTimeout(() => response.writeHead(400).end(JSON.stringify({ error })), 500);
  });
  await new Promise<void>((resolve) => slowHub.listen(0, '127.0.0.1', resolve));
  const { port } = slowHub.address() as AddressInfo;
  const call = ['call', 'x', '--url', `http://127.0.0.1:${port}`];
  const environment = { CROSSPOINT_ADMIN_TOKEN: 'x' };
  const [json, plain] = await Promise.all([run([...call, '--json'], environment), run(call, environment)]);
  slowHub.close();
  expect(json.code).toBe(2);
  expect(JSON.parse(json.stderr)).toEqual({ error });
  expect(plain.stderr).toMatch(/^Calling x …\ncrosspoint: name: is too long\n$/);
});

test('a command with an id that cannot be one is not written', async () => {
  const { code, stderr } = await run(['connector', 'add', 'not__good', '--', 'x']);
  expect([code, stderr]).toEqual([2, expect.stringContaining("a connector's id has")]);
  expect(readdirSync(folder)).toEqual([]);
});

test('without a hub a command is written for its next start', async () => {
  const { code, stdout } = await run(['connector', 'add', 'files', '--', 'node', 'server.mjs']);
  expect([code, stdout]).toEqual([0, 'Added files. It is used when the hub starts: crosspoint serve\n']);
  expect(readFileSync(join(folder, 'crosspoint.yaml'), 'utf8')).toContain('command: node');
});

test('the token of a folder is not shown to a host elsewhere', async () => {
  const { code, stderr } = await run(['tools', '--url', 'http://hub.example.com']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('no admin token for http://hub.example.com')]);
});

test('help for a command is that of the command, however deep', async () => {
  const { code, stdout } = await run(['help', 'connector', 'add']);
  expect([code, stdout]).toEqual([0, (await run(['connector', 'add', '--help'])).stdout]);
  expect(stdout).toContain('Usage: crosspoint connector add');
});
