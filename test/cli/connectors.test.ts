import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';
import { startUnreadyHub } from '../support/unready-hub.js';
import { Workplace } from './workplace.js';

const tool = (name: string, description = name) => ({ name, description, inputSchema: { type: 'object' } });
const TOKEN = 'tracker-token-0123456789';
const SAMPLE = ['--', process.execPath];

let place: Workplace;
let upstream: ScriptedUpstream;
beforeAll(async () => {
  place = await Workplace.open();
  upstream = await startUpstream({
    tools: [tool('list'), tool('open')],
    tokens: [TOKEN],
    protect: 'everything',
    call: () => ({ content: [] }),
  });
  await place.serve();
});
afterAll(async () => {
  await place?.close();
  await upstream?.close();
});

/** Everything the hub has written, as one text. */
function dataFiles(): string {
  const folder = place.path('.crosspoint');
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

describe('a remote upstream that wants a token', () => {
  test('add stores the token in the vault and finds the tools', async () => {
    const args = [
      'connector',
      'add',
      'tracker',
      '--name',
      'Issue tracker',
      '--url',
      upstream.url,
      '--bearer-env',
      'TRACKER',
    ];
    const { code, stdout, stderr } = await place.run(args, { env: { TRACKER: TOKEN } });
    expect([code, stdout]).toEqual([0, "Added tracker.\nDiscovered 2 tools from 'Issue tracker'.\n"]);
    expect(stdout + stderr + dataFiles()).not.toContain(TOKEN);
  });

  test('list and show tell how it is; the secret only by its end', async () => {
    const list = await place.run(['connector', 'list']);
    expect(list.stdout).toMatch(/^tracker +healthy +1 +2 +\d+ s ago +stored +http:\S+$/m);
    const { stdout } = await place.run(['connector', 'show', 'tracker']);
    expect(stdout).toMatch(/^Credential +bearer token, shared: …6789$/m);
    expect(stdout).toMatch(/^Offers +2 tools, 0 prompts, 0 resources$/m);
    expect(await place.json(['connector', 'show', 'tracker'])).toMatchObject({
      id: 'tracker',
      auth: { type: 'bearer', token: { set: true, last4: '6789' } },
    });
  });

  test('adding it again is refused', async () => {
    expect(await place.run(['connector', 'add', 'tracker', '--url', upstream.url])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already a connector tracker'),
    });
  });

  test('sync tells what became different', async () => {
    const before = upstream.script;
    const after = { ...before, tools: [tool('list', 'other words'), tool('close')] };
    const sync = async (): Promise<string> => {
      upstream.script = before;
      await place.run(['connector', 'sync', 'tracker']);
      upstream.script = after;
      return (await place.run(['connector', 'sync', 'tracker'])).stdout;
    };
    let stdout = await sync();
    // The hub may just be trying again by itself what failed before it had the token, and find the difference first.
    if (!stdout.includes('close')) stdout = await sync();
    expect(stdout).toBe("Discovered 2 tools from 'Issue tracker'.\n  + close\n  - open\n  ~ list\n");
    expect(await place.json(['connector', 'sync', 'tracker'])).toMatchObject({
      connector: 'tracker',
      tools: 2,
      added: [],
      removed: [],
      changed: [],
    });
  });

  test('a token that is no longer good: sync fails with the reason and 1, and connect takes a new one', async () => {
    upstream.script = { ...upstream.script, tokens: ['second-token-0123456789'] };
    const failed = await place.run(['connector', 'sync', 'tracker']);
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('Sync failed: ')]);
    expect(failed.stderr).toContain('crosspoint doctor tracker');
    const connected = await place.run(['connector', 'connect', 'tracker'], {
      input: 'second-token-0123456789\n',
    });
    expect([connected.code, connected.stdout]).toEqual([0, 'Stored the shared credential of tracker.\n']);
    expect(await place.run(['connector', 'sync', 'tracker'])).toMatchObject({ code: 0 });
    expect(await place.run(['connector', 'connect', 'tracker'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no value was given'),
    });
  });

  test('disable takes its tools away, enable brings them back', async () => {
    expect(await place.run(['connector', 'disable', 'tracker'])).toMatchObject({
      code: 0,
      stdout: 'tracker is disabled.\n',
    });
    expect(await place.run(['call', 'tracker__list'])).toMatchObject({ code: 1 });
    expect(await place.run(['connector', 'health', 'tracker'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('tracker is disabled'),
    });
    expect(await place.run(['connector', 'enable', 'tracker'])).toMatchObject({
      code: 0,
      stdout: 'tracker is enabled.\n',
    });
    expect(await place.run(['connector', 'enable', 'tracker'])).toMatchObject({
      code: 0,
      stdout: 'tracker was already enabled.\n',
    });
    expect(await place.run(['call', 'tracker__list'])).toMatchObject({ code: 0 });
    expect(await place.run(['doctor', 'tracker'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ok +Calls +1 of the last 1 went well/),
    });
  });

  test('remove makes it unknown', async () => {
    expect(await place.run(['connector', 'remove', 'tracker'])).toMatchObject({
      code: 0,
      stdout: 'Removed tracker.\n',
    });
    for (const verb of ['sync', 'health']) {
      expect(await place.run(['connector', verb, 'tracker'])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('no connector tracker'),
      });
    }
  });
});

describe('other credentials', () => {
  test("an agent's own is asked for by agent", async () => {
    const env = { KEY: TOKEN };
    const add = [
      'connector',
      'add',
      'own',
      '--url',
      upstream.url,
      '--api-key-env',
      'KEY',
      '--api-key-header',
      'X-Key',
      '--credential-mode',
      'per_agent',
      '--no-sync',
    ];
    expect(await place.run(add, { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--agent'),
    });
    expect(await place.run([...add, '--agent', 'local'], { env })).toMatchObject({ code: 0 });
    expect(await place.run(['connector', 'connect', 'own', '--value-env', 'KEY'], { env })).toMatchObject({
      code: 2,
    });
    const saved = await place.json<object>(
      ['connector', 'connect', 'own', '--agent', 'local', '--value-env', 'KEY'],
      { env },
    );
    expect(saved).toMatchObject({ connector: 'own', owner: 'local', set: true });
  });

  test('a credential that cannot be stored takes the connector back', async () => {
    const { code } = await place.run([
      'connector',
      'add',
      'half',
      '--url',
      upstream.url,
      '--header',
      'X-A: a\u0001b',
    ]);
    expect(code).toBe(2);
    expect(await place.run(['connector', 'show', 'half'])).toMatchObject({ code: 1 });
  });

  test('a server that offers no sign-in is said to offer none', async () => {
    expect(
      await place.run(['connector', 'add', 'oauth', '--url', upstream.url, '--oauth', '--no-sync']),
    ).toMatchObject({ code: 0 });
    expect(await place.run(['connector', 'connect', 'oauth', '--no-browser'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/authorization server|oauth/i),
    });
  });
});

describe('doctor', () => {
  test('shows each step to a connector, and ends with 1 at the one that fails', async () => {
    const { code, stdout } = await place.run(['doctor', 'oauth']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/ok +Port +port \d+ accepts connections/);
    expect(stdout).toMatch(/ok +HTTP/);
    expect(stdout).toMatch(/failed +Credential/);
    expect(stdout).toContain('→ ');
  });

  test('looks at an address without a hub', async () => {
    upstream.script = { ...upstream.script, protect: 'nothing' };
    const folder = place.home;
    const good = await place.json<{ steps: { step: string; state: string }[] }>(['doctor', upstream.url], {
      folder,
    });
    expect(good.steps.map(({ step, state }) => `${step} ${state}`)).toEqual([
      'dns skipped',
      'tcp ok',
      'tls skipped',
      'http ok',
      'era ok',
      'auth ok',
      'list ok',
    ]);
    const bad = await place.run(['doctor', 'http://127.0.0.1:9/mcp'], { folder });
    expect([bad.code, bad.stdout]).toEqual([1, expect.stringContaining('→ Nothing listens there')]);
    const unknown = await place.run(['doctor', 'https://does-not-exist.invalid/mcp'], { folder });
    expect([unknown.code, unknown.stdout]).toEqual([1, expect.stringContaining('is not known')]);
  });
});

describe('a command', () => {
  const script = (): string => place.path('server.mjs');
  beforeAll(() => {
    writeFileSync(script(), SERVER);
    const broken = { command: process.execPath, args: ['-e', "console.error('DB_URL is not set')"] };
    const connectors = `connectors:\n  broken: ${JSON.stringify(broken)}\n`;
    writeFileSync(place.path('crosspoint.yaml'), `# mine\nserver:\n  port: 0 # any\n${connectors}`);
  });

  test('is written to the file with its comments kept, its secret sealed, and used at once', async () => {
    const secret = 'sealed-secret-0123456789';
    const args = [
      'connector',
      'add',
      'notes',
      '--env',
      `NOTES_TOKEN=${secret}`,
      '--env',
      'MODE=fast',
      '--cwd',
      place.folder,
      ...SAMPLE,
      script(),
    ];
    const { code, stdout, stderr } = await place.run(args);
    expect([code, stdout]).toEqual([0, "Added notes.\nDiscovered 1 tools from 'notes'.\n"]);
    expect(stderr).toContain('Changed crosspoint.yaml.');
    const file = readFileSync(place.path('crosspoint.yaml'), 'utf8');
    expect(file).toContain('# mine\nserver:\n  port: 0 # any\n');
    expect(file).toContain('NOTES_TOKEN: ${env:NOTES_TOKEN}');
    expect(file).toContain('MODE: fast');
    expect(file + stdout + stderr + dataFiles()).not.toContain(secret);
    expect(await place.run(['call', 'notes__env'])).toMatchObject({ code: 0, stdout: `${secret} fast\n` });
  });

  test('is refused twice', async () => {
    expect(await place.run(['connector', 'add', 'notes', ...SAMPLE, script()])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already a connector notes'),
    });
  });

  test('whose process ends is examined with its last words', async () => {
    expect(await place.run(['doctor', 'broken'])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/failed +Command .*It said: DB_URL is not set/),
    });
    const logs = await place.run(['connector', 'logs', 'broken']);
    expect(logs).toMatchObject({ code: 0, stdout: expect.stringMatching(/^DB_URL is not set$/m) });
    const { stdout } = await place.run(['connector', 'logs', 'broken', '--json']);
    expect(JSON.parse(stdout)).toContain('DB_URL is not set');
    expect(await place.run(['connector', 'logs', 'nobody'])).toMatchObject({ code: 1 });
  });

  test.each([
    [undefined, 'The hub is not well: look at the disk\n'],
    ['/api/v1/status', 'crosspoint: the hub is not well: look at the disk\n'],
  ])('is not well where its hub is not, which says why; away: %s', async (away, said) => {
    const running = readFileSync(place.path('.crosspoint', 'hub.json'), 'utf8');
    const { url } = JSON.parse(running) as { url: string };
    const front = await startUnreadyHub(url, 'look at the disk', away);
    const { code, stderr } = await place.run(['doctor', 'notes', '--url', front.url]);
    front.close();
    expect([code, stderr]).toEqual([1, expect.stringContaining(said)]);
  });

  test('is switched and removed in the file; a secret nobody needs goes too', async () => {
    expect(await place.run(['connector', 'disable', 'notes'])).toMatchObject({ code: 0 });
    expect(readFileSync(place.path('crosspoint.yaml'), 'utf8')).toContain('enabled: false');
    const { code, stderr } = await place.run(['connector', 'remove', 'notes']);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('The sealed value of NOTES_TOKEN was removed'),
    ]);
    expect(readFileSync(place.path('crosspoint.yaml'), 'utf8')).not.toContain('notes');
    expect(JSON.parse(readFileSync(place.path('.crosspoint', 'variables.json'), 'utf8'))).toEqual({});
  });

  test('that refers to a variable the hub does not have: the hub says so and goes on', async () => {
    const { code, stderr } = await place.run([
      'connector',
      'add',
      'lost',
      '--env',
      'NOBODY_HAS_THIS',
      ...SAMPLE,
      script(),
    ]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('${env:NOBODY_HAS_THIS}: the variable is not set'),
    ]);
    expect(await place.run(['connector', 'list'])).toMatchObject({ code: 0 });
  });
});

const SERVER = `
import { createInterface } from 'node:readline';
const tools = [{ name: 'env', inputSchema: { type: 'object' } }];
const info = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'env', version: '1' } };
const text = [process.env.NOTES_TOKEN, process.env.MODE].join(' ');
const answers = { initialize: info, 'tools/list': { tools }, 'tools/call': { content: [{ type: 'text', text }] } };
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method];
  const answer = result ? { result } : { error: { code: -32601, message: 'unknown' } };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n');
});
`;
