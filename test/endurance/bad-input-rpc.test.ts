import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  checkAlive,
  checkRow,
  openWays,
  type BadInput,
  type Entrance,
  type Ways,
} from '../support/bad-input/entrance.js';
import { eventsOf } from '../support/hub-events.js';
import { until } from '../support/http/until.js';
import { MODERN, request } from '../support/server/harness.js';
import { FRONTS } from '../support/server/live-server.js';

/** Messages that are JSON, but no proper JSON-RPC; and proper ones at the wrong moment. */

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

let ways: Ways;
/** Calls of the tool `wait` that the upstream has not answered. */
const waiting: (() => void)[] = [];
beforeAll(async () => {
  const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
  ways = await openWays({
    script: {
      tools: [tool('echo'), tool('wait')],
      call: (name, args) => {
        const result = { content: [{ type: 'text', text: JSON.stringify(args) }] };
        return name === 'echo' ? result : new Promise((resolve) => waiting.push(() => resolve(result)));
      },
    },
  });
}, 60_000);
afterAll(() => ways?.close());

type Expected = Omit<BadInput, 'name' | 'send'>;
const INVALID: Expected = { status: 400, code: -32_600 };
const ACCEPTED: Expected = { status: 202, holds: ({ body }) => body === '' };

const said = (name: string, body: string | object, expected: Expected): BadInput => ({
  name,
  send: (at) => at.said(body),
  ...expected,
});
/** A ping with other text in the place of some of it. */
const ping = (name: string, part: string, instead: string, expected: Expected = INVALID): BadInput =>
  said(`${name} ${instead === '' ? 'missing' : instead.slice(0, 40)}`, PING.replace(part, instead), expected);
const notified = (method: string, params?: object): object => ({
  jsonrpc: '2.0',
  method,
  ...(params && { params }),
});

const IDS = ['""', '0', '-7', '"\u{1F600}"', '"<b>&amp;"', '"1"'];
const METHODS = ['nope', 'rpc.x', '__proto__', 'constructor', 'toString'];
const ANSWER = { jsonrpc: '2.0', id: 77, result: {} };
const FAILURE = { jsonrpc: '2.0', id: 77, error: { code: 1, message: 'no' } };

const ROWS: readonly BadInput[] = [
  ping('R-1:', '"jsonrpc":"2.0",', ''),
  ping('R-1:', '"2.0"', '"1.0"'),
  ping('R-1:', '"2.0"', '2.0'),
  ...['null', '1.5', 'true', '{}', '[]', '1e400'].map((id) =>
    ping('R-2: id', '"id":1', `"id":${id}`, { ...INVALID, id: null }),
  ),
  ...IDS.map((id) =>
    ping('R-3: id', '"id":1', `"id":${id}`, {
      status: 200,
      // The very same characters.
      holds: ({ body }) => body.includes(`"id":${id},`),
    }),
  ),
  ping('R-4: id', '"id":1', '"id":9007199254740993', INVALID),
  ...[65_536, 1_000_000].map((length) => ({
    ...ping(`R-5: ${length} bytes`, '"id":1', `"id":"${'x'.repeat(length)}"`),
    holds: ({ body }: { readonly body: string }) => body.length < 1_024,
  })),
  ping('R-6: method', ',"method":"ping"', ''),
  ping('R-6: method', '"ping"', '7'),
  ping('R-6: method', '"ping"', '""'),
  ...METHODS.flatMap((method) => [
    said(`R-7: ${method}`, request(1, method), { status: 200, code: -32_601, id: 1 }),
    {
      name: `R-7: ${method}, without a session`,
      send: (at: Entrance) => at.modern(method),
      status: 404,
      code: -32_601,
    },
  ]),
  {
    ...said('R-8: a megabyte', request(1, 'm'.repeat(1_000_000)), INVALID),
    holds: ({ body }) => body.length < 1_024,
  },
  // A request that could be read otherwise gets its answer in the way of its era.
  ...['"x"', '7', 'true', '[]'].map((params) =>
    said(`R-9: params ${params}`, `${PING.slice(0, -1)},"params":${params}}`, {
      status: 200,
      code: -32_602,
      id: 1,
    }),
  ),
  {
    name: 'R-9: params [] without a session',
    send: (at) =>
      at.post(`${PING.slice(0, -1)},"params":[]}`, { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'ping' }),
    status: 400,
  },
  said('R-10: a result for nobody', ANSWER, ACCEPTED),
  said('R-10: an error for nobody', FAILURE, ACCEPTED),
  ...[ANSWER, FAILURE].map((body) => ({
    name: 'R-10: without a session',
    send: (at: Entrance) => at.post(JSON.stringify(body), { 'MCP-Protocol-Version': MODERN }),
    ...INVALID,
  })),
  said('R-11: result and error', { ...ANSWER, ...FAILURE }, INVALID),
  said('R-11: method and result', { ...ANSWER, method: 'ping' }, INVALID),
  said('R-12: an unknown notification', notified('notifications/nope'), ACCEPTED),
  said('R-12: a malformed notification', '{"jsonrpc":"2.0","method":7}', INVALID),
  said(
    'R-12: with params that are none',
    '{"jsonrpc":"2.0","method":"notifications/initialized","params":[]}',
    {
      status: 400,
    },
  ),
  said('R-13: cancel nobody', notified('notifications/cancelled', { requestId: 4711 }), ACCEPTED),
  said('R-13: cancel nothing', notified('notifications/cancelled', {}), ACCEPTED),
  said(
    'R-14: progress of nobody',
    notified('notifications/progress', { progressToken: 'x', progress: 1 }),
    ACCEPTED,
  ),
];

describe.each(FRONTS)('by $way', ({ way }) => {
  const at = (): Entrance => ways.at(way);
  const inSession = (session: string, message: object): string =>
    at().said(message, { 'Mcp-Session-Id': session });
  const waitFor = (id: number | string, args: object = {}): object =>
    request(id, 'tools/call', { name: 'up__wait', arguments: args });
  const cancelled = (): number =>
    at().upstream.seen.filter(({ rpc }) => rpc.method === 'notifications/cancelled').length;

  const lastWait = async () =>
    (await eventsOf(at().hub, 'call.finished')).findLast(({ target }) => target === 'wait');

  /** Sends a call that does not end by itself, and says when it has arrived. */
  async function begin(bytes: string) {
    const connection = at().connect();
    const before = waiting.length;
    connection.write(bytes);
    await until(() => waiting.length > before, 'the call is at the upstream');
    return { connection, finish: () => waiting.at(-1)?.() };
  }

  test.each(ROWS)('$name', (one) => checkRow(at(), one));

  test("R-13: another session's request is not touched", async () => {
    const other = await at().openSession();
    const { connection, finish } = await begin(at().said(waitFor('r13', { mine: true })));
    const cancel = notified('notifications/cancelled', { requestId: 'r13' });
    expect((await at().tell(inSession(other, cancel)))?.status).toBe(202);
    finish();
    expect((await connection.until((received) => received.includes('mine'))).includes('"r13"')).toBe(true);
  });

  test('R-15: an id that is in use', async () => {
    const { connection, finish } = await begin(at().said(waitFor('r15', { mine: true })));
    const second = await at().tell(at().said(request('r15', 'ping')));
    expect([second?.status, JSON.parse(second?.body ?? '{}').error.code]).toEqual([400, -32_600]);
    finish();
    await connection.until((received) => received.includes('mine'));
    await checkRow(at(), said('R-15: free again', request('r15', 'ping'), { status: 200, id: 'r15' }));
  });

  test('R-16: the same ids in 20 sessions', async () => {
    const sessions = await Promise.all(Array.from({ length: 20 }, () => at().openSession()));
    const answers = await Promise.all(
      sessions.map((session) =>
        at().json(inSession(session, request(1, 'tools/call', { name: 'up__echo', arguments: { session } }))),
      ),
    );
    expect(answers.map(({ result }) => JSON.parse(result.content[0].text).session)).toEqual(sessions);
    expect(new Set(sessions).size).toBe(20);
    for (const session of sessions)
      await at().tell(at().bare('DELETE', '/mcp', { 'Mcp-Session-Id': session }));
  });

  test('R-17: 300 notifications at once', async () => {
    const note = at().said(notified('notifications/nope'));
    const answers = await Promise.all(Array.from({ length: 300 }, () => at().tell(note)));
    expect(answers.filter((answer) => answer?.status !== 202 && answer?.status !== 429)).toEqual([]);
    await checkAlive(at());
  });

  test('R-18: a call that is cancelled', async () => {
    const before = cancelled();
    const { connection, finish } = await begin(at().said(waitFor('r18', { mine: true })));
    const cancel = notified('notifications/cancelled', { requestId: 'r18', reason: 'enough' });
    expect((await at().tell(at().said(cancel)))?.status).toBe(202);
    await until(() => cancelled() > before, 'the upstream hears of it');
    finish();
    await checkAlive(at());
    expect(connection.received).not.toContain('mine');
    expect(await lastWait()).toMatchObject({ outcome: 'cancelled' });
  });

  test('R-19: a client that leaves', async () => {
    const before = cancelled();
    const { connection, finish } = await begin(
      at().modern('tools/call', { name: 'up__wait', arguments: {} }),
    );
    connection.socket.destroy();
    await until(() => cancelled() > before, 'the upstream hears of it');
    finish();
    await checkAlive(at());
    expect(await lastWait()).toMatchObject({ outcome: 'cancelled' });
  });
});
