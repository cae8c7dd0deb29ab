import { describe, expect, test } from 'vitest';
import {
  Gate,
  Harness,
  initialize,
  MODERN,
  NEWEST,
  request,
  type Answer,
  type Session,
} from '../../../../test/support/server/harness.js';
import { until } from '../../../../test/support/http/until.js';
import { ProtocolError } from '../../jsonrpc/index.js';
import { MemorySessionStore } from './memory-session-store.js';

describe('S64: initialize', () => {
  test.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    [MODERN, NEWEST],
    ['2099-01-01', NEWEST],
    ['garbage', NEWEST],
  ])('M-7: asked for %s, offered %s', async (asked, offered) => {
    const answer = await new Harness().post(initialize(asked));
    expect(answer.body).toEqual({
      jsonrpc: '2.0',
      id: 'init',
      result: {
        protocolVersion: offered,
        capabilities: expect.objectContaining({ tools: { listChanged: true } }),
        serverInfo: { name: 'harness', version: '1.0.0' },
        instructions: 'Ask politely.',
      },
    });
  });

  test('M-7: nothing below the oldest served version', async () => {
    const answer = await new Harness({ oldestRevision: '2025-06-18' }).post(initialize('2025-03-26'));
    expect(answer.body.result.protocolVersion).toBe(NEWEST);
  });

  test('S65: the id is set on that response only, printable, and of 256 bits', async () => {
    const harness = new Harness();
    const answer = await harness.post(initialize());
    const id = answer.headers.get('mcp-session-id') ?? '';
    expect(id).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const session = await harness.session();
    expect((await session.request('ping')).headers.get('mcp-session-id')).toBeNull();
    expect(session.id).not.toBe(id);
  });

  test('the version header may be there already', async () => {
    const answer = await new Harness().post(initialize(), {
      'mcp-protocol-version': NEWEST,
      'mcp-method': 'initialize',
    });
    expect(answer.status).toBe(200);
  });

  test('M-6 S64: twice', async () => {
    const session = await new Harness().session();
    const answer = await session.post(initialize());
    expect([answer.status, answer.body.error.code, answer.body.id]).toEqual([400, -32600, 'init']);
    expect((await session.request('ping')).status).toBe(200);
  });

  test('M-5: an id of the client is never adopted', async () => {
    const harness = new Harness();
    const answer = await harness.post(initialize(), { 'mcp-session-id': 'my-own-id' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('mcp-session-id')).not.toBe('my-own-id');
    expect((await harness.post(request(1, 'ping'), { 'mcp-session-id': 'my-own-id' })).status).toBe(404);
  });

  test.each([
    ['no params', undefined],
    ['no version', { capabilities: {} }],
    ['a version that is none', { protocolVersion: 1 }],
    ['capabilities that are none', { protocolVersion: NEWEST, capabilities: [] }],
    ['a capability that is none', { protocolVersion: NEWEST, capabilities: { sampling: true } }],
    ['client info that is none', { protocolVersion: NEWEST, capabilities: {}, clientInfo: { name: 1 } }],
    [
      'a client that talks too much',
      { protocolVersion: NEWEST, capabilities: { experimental: { x: 'y'.repeat(20_000) } } },
    ],
  ])('M-6: %s', async (_name, params) => {
    const answer = await new Harness().post(request(0, 'initialize', params));
    expect([answer.status, answer.body.error.code, answer.body.id]).toEqual([200, -32602, 0]);
    expect(answer.headers.get('mcp-session-id')).toBeNull();
  });

  test('M-6: as a notification', async () => {
    const answer = await new Harness().post({ jsonrpc: '2.0', method: 'initialize', params: {} });
    expect([answer.status, answer.headers.get('mcp-session-id')]).toEqual([400, null]);
  });

  test('answered as events where only those are accepted', async () => {
    const answer = await new Harness().post(initialize(), { accept: 'text/event-stream' });
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(answer.headers.get('mcp-session-id')).not.toBeNull();
    expect(answer.text).toContain('"protocolVersion"');
  });
});

describe('naming a session', () => {
  const EXPECTED: [string, Record<string, string>, number, number][] = [
    ['S66 M-1: none', {}, 400, -32000],
    ['M-4: two', { 'mcp-session-id': 'a, b' }, 400, -32000],
    ['M-4: in a cookie', { cookie: 'mcp-session-id=x' }, 400, -32000],
    ['M-3: too long', { 'mcp-session-id': 'x'.repeat(12_000) }, 400, -32000],
    ['S66 M-2: unknown', { 'mcp-session-id': 'x'.repeat(43) }, 404, -32001],
    ['M-3: a path', { 'mcp-session-id': '../..' }, 404, -32001],
    ['M-3: __proto__', { 'mcp-session-id': '__proto__' }, 404, -32001],
    ['M-3: JSON', { 'mcp-session-id': '{"a":1}' }, 404, -32001],
  ];
  test.each(EXPECTED)('%s', async (_name, headers, status, code) => {
    const harness = new Harness();
    await harness.session();
    const answer = await harness.post(request(5, 'tools/list'), headers);
    expect([answer.status, answer.body.error.code, answer.body.id]).toEqual([status, code, 5]);
  });

  test('S66 M-2: deleted, foreign, cut, extended and recased ids all look unknown', async () => {
    const harness = new Harness();
    const gone = await harness.session();
    const live = await harness.session();
    const foreign = await harness.session({ principal: 'bob' });
    await gone.delete();
    const ids = [gone.id, foreign.id, live.id.slice(1), `${live.id}x`, swapCase(live.id), 'unknown'];
    const answers = await Promise.all(
      ids.map((id) => live.post(request(1, 'ping'), { 'mcp-session-id': id })),
    );
    expect(new Set(answers.map((answer) => `${answer.status} ${answer.text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(404);
  });

  test('S67: an id is no authentication', async () => {
    const harness = new Harness();
    const { id } = await harness.session();
    const answer = await harness.post(request(1, 'ping'), { authorization: '', 'mcp-session-id': id });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });

  test.each([
    ['S69 M-8: unknown', '1999-01-01', 400],
    ['M-8: garbage', 'x', 400],
    ['M-8: two values', `${NEWEST}, ${NEWEST}`, 400],
    ['S69: another served one', '2025-03-26', 200],
  ])('version header: %s', async (_name, version, status) => {
    const harness = new Harness();
    const session = await harness.session();
    const answer = await session.request('ping', {}, { 'mcp-protocol-version': version });
    expect(answer.status).toBe(status);
    expect(harness.count('revision_differs')).toBe(status === 200 ? 1 : 0);
  });

  test('S69: no version header', async () => {
    const harness = new Harness();
    const { id } = await harness.session();
    expect((await harness.post(request(1, 'ping'), { 'mcp-session-id': id })).status).toBe(200);
  });
});

describe('S65 B1.6: two principals', () => {
  test('neither can use, hear, resume or end what is the other’s', async () => {
    const harness = new Harness({
      call: async (r) => {
        r.progress({ progress: 1 });
        return { content: [] };
      },
    });
    const alice = await harness.session();
    const stream = await alice.call({}, { progressToken: 1 });
    const event = await stream.next();
    const bob = { authorization: 'Bearer bob', 'mcp-session-id': alice.id };
    expect((await harness.post(request(1, 'tools/list'), bob)).status).toBe(404);
    expect((await harness.get(bob)).status).toBe(404);
    expect((await harness.get({ ...bob, 'last-event-id': event?.id ?? '' })).status).toBe(404);
    expect((await harness.send('DELETE', bob)).status).toBe(404);
    expect((await harness.post({ jsonrpc: '2.0', id: 'server-1', result: {} }, bob)).status).toBe(404);
    expect((await alice.request('ping')).status).toBe(200);
  });
});

describe('S82 S68: the end of a session', () => {
  test('S68: DELETE, then 404', async () => {
    const harness = new Harness();
    const session = await harness.session();
    const answer = await session.delete();
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect((await session.request('ping')).status).toBe(404);
    expect((await session.delete()).status).toBe(404);
    expect(harness.events).toContainEqual({ type: 'session_ended', reason: 'deleted' });
  });

  test('streams end and running calls are stopped', async () => {
    let aborted = false;
    const harness = new Harness({
      call: async (r) => {
        r.signal.addEventListener('abort', () => {
          aborted = true;
        });
        await new Gate().passed;
        return { content: [] };
      },
    });
    const session = await harness.session();
    const standing = await session.get();
    await standing.next();
    const running = session.request('tools/call', { name: 'echo' });
    await session.request('ping');
    await session.delete();
    expect(await standing.next()).toBeUndefined();
    expect((await running).body.error).toEqual({ code: -32603, message: 'The session ended' });
    expect(aborted).toBe(true);
  });

  test('B1.9: idle and old sessions expire, used ones do not', async () => {
    let now = 0;
    const clock = (): number => now;
    const harness = new Harness({
      clock,
      sessions: new MemorySessionStore({ clock, idleMs: 100, absoluteMs: 250 }),
    });
    const idle = await harness.session();
    const used = await harness.session();
    now = 99;
    await used.request('ping');
    now = 100;
    expect((await idle.request('ping')).status).toBe(404);
    expect((await used.request('ping')).status).toBe(200);
    now = 199;
    expect((await used.request('ping')).status).toBe(200);
    now = 250;
    expect((await used.request('ping')).status).toBe(404);
    expect(harness.events.filter((event) => event.type === 'session_ended')).toEqual([
      { type: 'session_ended', reason: 'expired' },
      { type: 'session_ended', reason: 'expired' },
    ]);
  });

  test('an open stream keeps its session in use', async () => {
    const harness = new Harness({
      sessions: new MemorySessionStore({ idleMs: 150, sweepMs: 10 }),
      streams: { keepAliveMs: 20 },
    });
    const [kept, left] = await Promise.all([harness.session(), harness.session()]);
    const stream = await kept.get();
    await until(() => harness.count('session_ended') === 1, 'the other one expires');
    expect((await left.request('ping')).status).toBe(404);
    expect((await kept.request('ping')).status).toBe(200);
    await stream.cancel();
  });

  test.each([
    ['of one principal', new MemorySessionStore({ perPrincipal: 2 }), 'alice'],
    ['of all', new MemorySessionStore({ total: 2 }), 'bob'],
  ])('B1.9 M-12: too many sessions %s', async (_name, sessions, principal) => {
    const harness = new Harness({ sessions });
    const first = await harness.session();
    await harness.session();
    const refused = await harness.post(initialize(), { authorization: `Bearer ${principal}` });
    expect([refused.status, refused.headers.get('retry-after'), refused.body.id]).toEqual([
      429,
      '60',
      'init',
    ]);
    await first.delete();
    expect((await harness.post(initialize(), { authorization: `Bearer ${principal}` })).status).toBe(200);
  });
});

describe('requests of a session', () => {
  test('S76: ping is empty', async () => {
    const session = await new Harness().session();
    expect((await session.request('ping')).body).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });

  test('S81: results have the shape of their revision', async () => {
    const call = () => ({
      content: [{ type: 'resource_link', name: 'n', uri: 'a:b' }],
      structuredContent: [1] as never,
      resultType: 'complete',
      ttlMs: 1,
    });
    const harness = new Harness({ call });
    const old = await harness.session({ revision: '2025-03-26' });
    expect((await old.request('tools/call', { name: 'echo' })).body.result.content[0]).toEqual({
      type: 'text',
      text: expect.stringContaining('a:b'),
    });
    const newer = await harness.session();
    const { result } = (await newer.request('tools/call', { name: 'echo' })).body;
    expect(result.structuredContent).toEqual({ result: [1] });
    expect(result).not.toHaveProperty('resultType');
    expect(result).not.toHaveProperty('ttlMs');
  });

  test.each([
    ['S79: an error of a handler', new ProtocolError(-32602, 'Unknown tool'), -32602],
    ['an own code', new ProtocolError(-32000, 'denied'), -32000],
    ['a failure', new Error('secret'), -32603],
  ])('%s is in band', async (_name, error, code) => {
    const session = await new Harness({
      call: async () => {
        throw error;
      },
    }).session();
    const answer = await session.request('tools/call', { name: 'echo' });
    expect([answer.status, answer.body.error.code]).toEqual([200, code]);
    expect(answer.text).not.toContain('secret');
  });

  test('4.4: a resource that is not there has the code of its era', async () => {
    const read = (): never => {
      throw new ProtocolError(-32602, 'Resource not found', { uri: 'a:b' });
    };
    const session = await new Harness({ handlers: { 'resources/read': read } }).session();
    expect((await session.request('resources/read', { uri: 'a:b' })).body.error.code).toBe(-32002);
  });

  test.each([
    ['M-20: no name', 'tools/call', {}],
    ['M-22: arguments as text', 'tools/call', { name: 'echo', arguments: 'x' }],
    ['M-26: cursor as a number', 'tools/list', { cursor: 1 }],
    ['M-29: nonsense level', 'logging/setLevel', { level: 'loud' }],
    ['M-30: _meta as text', 'tools/call', { name: 'echo', _meta: 'x' }],
    ['no uri', 'resources/subscribe', {}],
  ])('%s', async (_name, method, params) => {
    const session = await new Harness().session();
    const answer = await session.request(method, params);
    expect([answer.status, answer.body.error.code]).toEqual([200, -32602]);
  });

  test.each([
    ['logging/setLevel', { level: 'info' }],
    ['resources/subscribe', { uri: 'a:b' }],
    ['tools/list', {}],
  ])('%s is unknown where it is not advertised', async (method, params) => {
    const session = await new Harness({
      describe: { info: { name: 'x', version: '1' }, capabilities: {} },
    }).session();
    expect((await session.request(method, params)).body.error.code).toBe(-32601);
  });

  test('S76: the log level is of the session', async () => {
    const harness = new Harness({
      call: (r) => {
        r.log({ level: 'info', data: 'x' });
        return { content: [] };
      },
    });
    const [one, two] = [await harness.session(), await harness.session()];
    await one.request('logging/setLevel', { level: 'info' });
    expect(await (await one.call()).rest()).toMatchObject([
      { method: 'notifications/message', params: { level: 'info', data: 'x' } },
      { result: {} },
    ]);
    expect((await two.call()).headers.get('content-type')).toBe('application/json');
  });

  test('S77: requests before initialized are served', async () => {
    const session = await new Harness().session({ initialized: false });
    expect((await session.request('tools/list')).status).toBe(200);
  });

  test('R-15: an id that is in use', async () => {
    const gate = new Gate();
    const session = await new Harness({
      call: async () => {
        await gate.passed;
        return { content: [] };
      },
    }).session();
    const running = session.post(request(9, 'tools/call', { name: 'echo' }));
    const second = await session.post(request(9, 'ping'));
    expect([second.status, second.body.error.code, second.body.id]).toEqual([400, -32600, 9]);
    expect((await session.post(request('9', 'ping'))).status).toBe(200);
    gate.open();
    expect((await running).body.result).toEqual({ content: [] });
    expect((await session.post(request(9, 'ping'))).status).toBe(200);
  });

  test('R-16: the same ids in many sessions', async () => {
    const harness = new Harness({ call: async ({ params }) => ({ content: [], got: params['arguments'] }) });
    const sessions = await Promise.all(Array.from({ length: 20 }, () => harness.session()));
    const answers = await Promise.all(
      sessions.map((session, n) => session.request('tools/call', { name: 'echo', arguments: { n } })),
    );
    expect(answers.map((answer) => answer.body.result.got.n)).toEqual(sessions.map((_, n) => n));
  });

  test.each([
    [2, 2, 0],
    [2, 3, 1],
  ])('limit %i: %i in flight, %i refused', async (inFlightPerSession, count, refused) => {
    const gate = new Gate();
    const harness = new Harness({
      limits: { inFlightPerSession },
      call: async () => {
        await gate.passed;
        return { content: [] };
      },
    });
    const session = await harness.session();
    const running = Array.from({ length: count }, () => session.request('tools/call', { name: 'echo' }));
    await until(() => harness.count('limit_reached') === refused, 'the last one is refused');
    gate.open();
    const answers: Answer[] = await Promise.all(running);
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(refused);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(count - refused);
  });
});

describe('R-18: cancelling', () => {
  function running(session: Session, accept?: string): Promise<Answer> {
    return session.post(request(100, 'tools/call', { name: 'echo' }), accept === undefined ? {} : { accept });
  }

  test.each([
    ['is answered with an empty stream', undefined, 200],
    ['or, where only JSON is accepted, with nothing', 'application/json', 202],
  ])('the handler hears of it; the client gets no answer: %s', async (_name, accept, status) => {
    const aborted: number[] = [];
    let calls = 0;
    const harness = new Harness({
      call: async (r) => {
        const n = ++calls;
        await new Promise<void>((resolve) =>
          r.signal.addEventListener('abort', () => {
            aborted.push(n);
            resolve();
          }),
        );
        r.progress({ progress: 1 });
        return { content: [] };
      },
    });
    const [one, two] = [await harness.session(), await harness.session()];
    const first = running(one, accept);
    const second = running(two, accept);
    // another session's request of the same id is not touched.
    await until(() => calls === 2, 'both run');
    await one.notify('notifications/cancelled', { requestId: 100, reason: 'enough' });
    const answer = await first;
    expect([answer.status, answer.text]).toEqual([status, '']);
    expect(aborted).toEqual([1]);
    await two.notify('notifications/cancelled', { requestId: '100' });
    expect(aborted).toEqual([1]);
    await two.notify('notifications/cancelled', { requestId: 100 });
    await second;
    expect((await one.post(request(100, 'ping'))).status).toBe(200);
  });

  test('an open stream just ends', async () => {
    const harness = new Harness({
      call: async (r) => {
        r.progress({ progress: 1 });
        await new Gate().passed;
        return { content: [] };
      },
    });
    const session = await harness.session();
    const reader = await session.call({}, { progressToken: 1 }, 7);
    await reader.message();
    await session.notify('notifications/cancelled', { requestId: 7 });
    expect(await reader.rest()).toEqual([]);
  });
});

describe('S78: without sessions', () => {
  const harness = new Harness({
    legacy: 'stateless',
    call: async (r) => {
      if (r.params['name'] === 'ask') await r.askClient({ a: { method: 'roots/list' } });
      r.progress({ progress: 1 });
      return { content: [] };
    },
  });

  test('the handshake makes none', async () => {
    const answer = await harness.post(initialize());
    expect([answer.status, answer.headers.get('mcp-session-id')]).toEqual([200, null]);
  });

  test('calls need no handshake, and may have progress', async () => {
    expect((await harness.post(request(1, 'tools/list'))).body.result.tools).toHaveLength(1);
    const reader = await harness.stream(
      request(1, 'tools/call', { name: 'echo', _meta: { progressToken: 1 } }),
    );
    expect((await reader.rest()).map((message) => message.method ?? 'answer')).toEqual([
      'notifications/progress',
      'answer',
    ]);
    expect(reader.raw).not.toContain('id: ');
  });

  test('the client cannot be asked, and is told why', async () => {
    const answer = await harness.post(request(1, 'tools/call', { name: 'ask' }));
    expect(answer.body.result).toEqual({
      content: [{ type: 'text', text: expect.stringContaining('roots') }],
      isError: true,
    });
  });

  test.each([
    ['notifications', { jsonrpc: '2.0', method: 'notifications/initialized' }, 202],
    ['responses', { jsonrpc: '2.0', id: 1, result: {} }, 202],
    ['batches', [request(1, 'ping')], 400],
  ])('%s', async (_name, message, status) => {
    expect((await harness.post(message)).status).toBe(status);
  });

  test('there are no subscriptions', async () => {
    expect((await harness.post(request(1, 'resources/subscribe', { uri: 'a:b' }))).body.error.code).toBe(
      -32601,
    );
  });

  test.each(['GET', 'DELETE'])('%s', async (method) => {
    expect((await harness.send(method, { accept: 'text/event-stream', 'mcp-session-id': 'x' })).status).toBe(
      405,
    );
  });
});

describe('D6 D7: JSON-only mode', () => {
  test('sessions work; GET and DELETE do not', async () => {
    const harness = new Harness({
      streaming: 'off',
      call: (r) => {
        r.progress({ progress: 1 });
        return { content: [] };
      },
    });
    const session = await harness.session();
    const answer = await session.post(
      request(1, 'tools/call', { name: 'echo', _meta: { progressToken: 1 } }),
    );
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
    const get = await session.get();
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await session.delete()).status).toBe(405);
    harness.notifier.toolsChanged();
  });
});

function swapCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, (c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()));
}
