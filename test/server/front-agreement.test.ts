import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { Random } from '../fuzz/random.js';
import { until } from '../support/http/until.js';
import { envelope, Gate, MODERN, request } from '../support/server/harness.js';
import { FRONTS, LiveServer, rawPost } from '../support/server/live-server.js';
import { damagedCase, FrontPair, oddCases } from '../support/server/front-agreement.js';

/** A longer run is `npm run fuzz:front`. */
const DAMAGED = 240;
const AT_ONCE = 24;

const POST = rawPost(JSON.stringify(request(1, 'tools/call', { name: 'echo', _meta: envelope() })), {
  'MCP-Protocol-Version': MODERN,
  'Mcp-Method': 'tools/call',
  'Mcp-Name': 'echo',
});

let pair: FrontPair;
beforeAll(async () => {
  pair = await FrontPair.open();
});
afterAll(() => pair.close());

/** Cases that were answered differently. */
async function differing(cases: ReturnType<typeof oddCases>): Promise<readonly object[]> {
  const found: object[] = [];
  for (let at = 0; at < cases.length; at += AT_ONCE) {
    const met = cases.slice(at, at + AT_ONCE).map(async (one) => ({ one, ...(await pair.meet(one)) }));
    for (const { one, fast, plain } of await Promise.all(met))
      if (fast !== plain) found.push({ name: one.name, fast, plain });
  }
  return found;
}

test('what is unusual is answered alike, whoever reads it', async () => {
  expect(await differing(oddCases())).toEqual([]);
});

test('what is damaged is answered alike, whoever reads it', async () => {
  const random = new Random(20_260_728);
  expect(await differing(Array.from({ length: DAMAGED }, () => damagedCase(random)))).toEqual([]);
});

test('an ordinary request is read past node:http, and everything after another one is not', async () => {
  const seen: (string | undefined)[] = [];
  pair.fast.http.on('request', ({ url }) => seen.push(url));
  const connection = pair.fast.connect();
  for (let i = 0; i < 3; i++) {
    connection.write(POST);
    expect((await connection.response())?.status).toBe(200);
  }
  expect(seen).toEqual([]);
  connection.write(POST.replace('/mcp', '/mcp?x=y'));
  expect((await connection.response())?.status).toBe(200);
  connection.write(POST);
  expect((await connection.response())?.status).toBe(200);
  expect(seen).toEqual(['/mcp?x=y', '/mcp']);
});

test('a head that is not quite the one before is read anew', async () => {
  const connection = pair.fast.connect();
  const wrong = POST.replace('Mcp-Name: echo', 'Mcp-Name: ohce');
  expect(wrong).not.toBe(POST);
  for (const [text, status] of [
    [POST, 200],
    [wrong, 400],
    [POST, 200],
    [wrong, 400],
  ] as const) {
    connection.write(text);
    expect((await connection.response())?.status).toBe(status);
  }
});

test('H-39: silent connections, idle ones and slow bodies are ended', async () => {
  const live = await LiveServer.open({
    http: { headersTimeoutMs: 100, keepAliveMs: 100, keepAliveGraceMs: 0 },
    listener: { bodyTimeoutMs: 100 },
  });
  onTestFinished(() => live.close());
  const [silent, idle, slow] = [live.connect(), live.connect(), live.connect()];
  idle.write(rawPost('{}'));
  slow.write(rawPost('{}').slice(0, -1));
  await until(() => silent.closed && idle.closed && slow.closed, 'all of them are closed');
  expect([silent.received, idle.received.slice(0, 12), slow.received.slice(0, 12)]).toEqual([
    expect.stringMatching(/^HTTP\/1\.1 408 .*\r\nconnection: close\r\n/),
    'HTTP/1.1 400',
    'HTTP/1.1 408',
  ]);
  expect(idle.received).toContain('HTTP/1.1 408');
});

test('H-39: a request that crosses with the end of a silent connection is told that nothing was done', async () => {
  const live = await LiveServer.open({ http: { headersTimeoutMs: 100 } });
  onTestFinished(() => live.close());
  const socket = connect({ port: live.port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  const faults: Error[] = [];
  socket.on('error', (error) => faults.push(error));
  // It has not seen the end yet when it writes, so it does not look before.
  await once(socket, 'readable');
  socket.write(POST);
  await sleep(100);
  const received = String(socket.read());
  expect([received.slice(0, 12), faults]).toEqual(['HTTP/1.1 408', []]);
  expect(live.events).toEqual([]);
});

test.each([
  ['the front', POST],
  ['node:http', POST.replace('POST', 'GET')],
])('a connection is kept longer than clients are told: %s', async (_who, text) => {
  const live = await LiveServer.open({ http: { keepAliveMs: 1_000, keepAliveGraceMs: 30_000 } });
  onTestFinished(() => live.close());
  const connection = live.connect();
  connection.write(text);
  const first = await connection.response();
  expect(first?.headers['keep-alive']).toBe('timeout=1');
  await sleep(1_500);
  connection.write(text);
  expect((await connection.response())?.status).toBe(first?.status);
});

test.each(FRONTS)(
  'H-39, F13: a request that came while the process stood still is answered, by $way',
  async ({ fastFront }) => {
    const live = await LiveServer.open({
      fastFront,
      http: { headersTimeoutMs: fastFront ? 700 : 60_000, keepAliveMs: 700, keepAliveGraceMs: 0 },
    });
    onTestFinished(() => live.close());
    const [fresh, used] = [live.connect(), live.connect()];
    used.write(rawPost('{}'));
    await used.response();
    await until(() => fresh.socket.readyState === 'open', 'the connection is open');
    // They are in the socket's buffer at once. All limits, and the time of the next look at them, pass before anything is read.
    for (const connection of [fresh, used]) connection.write(rawPost('{}'));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);
    expect([(await fresh.response())?.status, (await used.response())?.status]).toEqual([400, 400]);
  },
);

test('a server that closes ends idle connections, and lets an answer be finished', async () => {
  const gate = new Gate();
  let begun = false;
  const live = await LiveServer.open({
    call: async () => {
      begun = true;
      await gate.passed;
      return { content: [] };
    },
  });
  onTestFinished(() => live.close());
  const [idle, busy] = [live.connect(), live.connect()];
  idle.write(rawPost('{}'));
  await idle.response();
  busy.write(POST);
  await until(() => begun, 'the call runs');
  const closed = new Promise((resolve) => live.http.close(resolve));
  await until(() => idle.closed, 'the idle connection is closed');
  gate.open();
  expect((await busy.response())?.status).toBe(200);
  live.http.closeIdleConnections();
  await closed;
});
