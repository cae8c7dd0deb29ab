import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Workplace } from './workplace.js';

let place: Workplace;
let url: string;
beforeAll(async () => {
  place = await Workplace.open();
  ({ url } = await place.serve());
  await place.json(['connector', 'sync', 'sample']);
});
afterAll(() => place?.close());

async function ask(key: string): Promise<number> {
  const response = await fetch(`${url}/mcp/tools/list`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{}',
  });
  await response.text();
  return response.status;
}

describe('agents', () => {
  let key: string;

  test('add, list and show', async () => {
    expect(await place.run(['agent', 'add', 'ci', '--name', 'Build server', '--tag', 'auto'])).toMatchObject({
      code: 0,
      stdout: 'Added the agent ci.\n',
    });
    expect(await place.run(['agent', 'add', 'ci'])).toMatchObject({ code: 1 });
    const { stdout } = await place.run(['agent', 'list']);
    expect(stdout).toMatch(/^ci +Build server +enabled +stored +auto$/m);
    expect(stdout).toMatch(/^local +Local +enabled +built-in$/m);
    expect(await place.json(['agent', 'show', 'ci'])).toMatchObject({ id: 'ci', keys: [] });
  });

  test('a key is printed once, alone on stdout, and opens the endpoint', async () => {
    const { code, stdout, stderr } = await place.run(['agent', 'key', 'add', 'ci']);
    key = stdout.trim();
    expect([code, key]).toEqual([0, expect.stringMatching(/^cpk_[\w-]{43}$/)]);
    expect(stderr).toContain('It is not shown again.');
    expect(await ask(key)).toBe(200);
    const { stdout: shown } = await place.run(['agent', 'show', 'ci']);
    expect(shown).toContain(`…${key.slice(-4)}`);
    expect(shown).not.toContain(key);
  });

  test('revoked it opens nothing, at once', async () => {
    expect(await place.run(['agent', 'key', 'revoke', 'ci'])).toMatchObject({ code: 0 });
    expect(await ask(key)).toBe(401);
    expect(await place.run(['agent', 'key', 'revoke', 'ci'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ci has no key'),
    });
  });

  test('of several keys one must be named; one may expire', async () => {
    const first = await place.json<{ id: string; expiresAt?: string }>([
      'agent',
      'key',
      'add',
      'ci',
      '--expires',
      '2099-01-31',
    ]);
    expect(first.expiresAt).toBe('2099-01-31T00:00:00.000Z');
    await place.json(['agent', 'key', 'add', 'ci']);
    expect(await place.run(['agent', 'key', 'revoke', 'ci'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(first.id),
    });
    expect(await place.run(['agent', 'key', 'revoke', 'ci', first.id])).toMatchObject({ code: 0 });
    expect(await place.run(['agent', 'key', 'add', 'ci', '--expires', 'soon'])).toMatchObject({ code: 2 });
  });
});

describe('policies', () => {
  const good = 'permit(principal == Agent::"ci", action, resource in Connector::"sample");\n';

  test('explain says who decided and why', async () => {
    const denied = await place.run(['policy', 'explain', '--agent', 'ci', '--tool', 'sample__echo']);
    expect([denied.code, denied.stdout]).toEqual([
      0,
      expect.stringContaining('deny: ci may not call sample__echo.'),
    ]);
    expect(denied.stdout).toContain('to this agent the tool does not exist');
    expect(
      await place.json([
        'policy',
        'explain',
        '--agent',
        'local',
        '--tool',
        'sample__echo',
        '--args',
        '{"text":"x"}',
      ]),
    ).toMatchObject({ decision: 'allow', policies: ['starter/1'] });
    expect(
      await place.run(['policy', 'explain', '--agent', 'ci', '--tool', 'sample__nothing']),
    ).toMatchObject({ code: 1 });
  });

  test('check needs no hub: 0 for a valid file, 78 with the reason for another', async () => {
    writeFileSync(place.path('good.cedar'), good);
    writeFileSync(place.path('bad.cedar'), 'permit(principal == Nobody::"x", action, resource);');
    expect(await place.run(['policy', 'check', 'good.cedar'], { folder: place.folder })).toMatchObject({
      code: 0,
      stdout: 'ok  good\n',
    });
    expect(await place.run(['policy', 'check', 'good.cedar', 'bad.cedar'])).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('policy bad:'),
    });
    expect(await place.run(['policy', 'check', 'none.cedar'])).toMatchObject({ code: 78 });
    const input = 'permit(principal, action, resource);';
    expect(await place.run(['policy', 'check', '-', '--json'], { input })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"policies":["stdin"]') as string,
    });
    expect(await place.run(['policy', 'check', '-'], { input: 'permit(' })).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('line 1, column 8') as string,
    });
  });

  test('what is saved is in force; what is not valid changes nothing', async () => {
    expect(await place.run(['policy', 'save', 'ci', 'good.cedar'])).toMatchObject({ code: 0 });
    expect(await place.json(['policy', 'explain', '--agent', 'ci', '--tool', 'sample__echo'])).toMatchObject({
      decision: 'allow',
      listed: true,
    });
    expect(await place.run(['call', 'sample__echo', 'text=by ci', '--agent', 'ci'])).toMatchObject({
      code: 0,
      stdout: 'by ci\n',
    });
    expect(await place.run(['policy', 'save', 'ci', 'bad.cedar'])).toMatchObject({ code: 1 });
    expect(await place.json(['policy', 'explain', '--agent', 'ci', '--tool', 'sample__echo'])).toMatchObject({
      decision: 'allow',
    });
    expect((await place.run(['policy', 'list'])).stdout).toMatch(/^ci +stored /m);
    expect(await place.run(['policy', 'remove', 'ci'])).toMatchObject({ code: 0 });
    const input = 'forbid (principal == Agent::"ci", action, resource);';
    expect(await place.run(['policy', 'save', 'piped', '-'], { input })).toMatchObject({ code: 0 });
    expect(await place.json(['policy', 'list'])).toContainEqual(
      expect.objectContaining({ id: 'piped', text: input }),
    );
    expect(await place.run(['policy', 'remove', 'piped'])).toMatchObject({ code: 0 });
    expect(await place.run(['call', 'sample__echo', 'text=x', '--agent', 'ci'])).toMatchObject({ code: 1 });
  });
});

describe('events', () => {
  test('the latest come last, on one line each, and can be chosen', async () => {
    await place.run(['call', 'sample__echo', 'text=logged']);
    const { stdout } = await place.run(['events', '--agent', 'local', '--limit', '2']);
    const [intended, finished] = stdout.trimEnd().split('\n');
    expect(intended).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}call\.intended +local +sample__echo/);
    expect(finished).toMatch(/call\.finished +local +sample__echo {2}ok {2}[\d.]+ ms/);
    const denied = await place.json<{ type: string; outcome: string }[]>(['events', '--outcome', 'denied']);
    expect(denied.every(({ outcome }) => outcome === 'denied')).toBe(true);
    const all = await place.json<{ sequence: number }[]>(['events', '--limit', '5']);
    expect(all).toHaveLength(5);
    expect(all.map(({ sequence }) => sequence)).toEqual(
      all.map(({ sequence }) => sequence).toSorted((a, b) => a - b),
    );
  });

  test('follow goes on with what happens, until it is stopped', async () => {
    const follow = place.start(['events', '--follow', '--limit', '0', '--type', 'call.finished', '--json']);
    // Until the stream is open nothing is seen of a call; so calls are made until one is.
    const seen = follow.until(/"exposedName":"sample__now"/);
    while (!follow.stdout().includes('sample__now')) await place.run(['call', 'sample__now']);
    const printed = await seen;
    expect(JSON.parse(printed.split('\n')[0] ?? '')).toMatchObject({
      type: 'call.finished',
      exposedName: 'sample__now',
      outcome: 'ok',
    });
    expect(await follow.stop('SIGINT')).toMatchObject({ code: 0 });
  });

  test('verify finds the log whole', async () => {
    expect(await place.run(['events', 'verify'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The event log is whole: \d+ events, the last hash is [0-9a-f]{64}\.$/m),
    });
    expect(await place.json(['events', 'verify'])).toMatchObject({ ok: true });
  });
});
