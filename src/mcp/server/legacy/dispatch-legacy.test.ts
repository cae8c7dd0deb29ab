import { describe, expect, test } from 'vitest';
import {
  Gate,
  Harness,
  request,
  type Answer,
  type Session,
} from '../../../../test/support/server/harness.js';
import { until } from '../../../../test/support/http/until.js';
import { ProtocolError } from '../../jsonrpc/index.js';

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

  test.each(['completion/complete', 'tasks/get', 'tasks/update'])(
    'S39: %s is not offered, whatever its params are',
    async (method) => {
      const session = await new Harness().session();
      const answer = await session.request(method, {});
      expect([answer.status, answer.body.error.code]).toEqual([200, -32601]);
    },
  );

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

  test('every listener hears of it once, also one that comes too late', async () => {
    const heard: string[] = [];
    let calls = 0;
    const harness = new Harness({
      call: async (r) => {
        calls++;
        r.onAbort(() => heard.push('first'));
        await new Promise<void>((resolve) =>
          r.onAbort(() => {
            heard.push('second');
            resolve();
          }),
        );
        r.onAbort(() => heard.push('late'));
        return { content: [] };
      },
    });
    const session = await harness.session();
    const answer = running(session);
    await until(() => calls === 1, 'it runs');
    await session.notify('notifications/cancelled', { requestId: 100 });
    await answer;
    await until(() => heard.length === 3, 'all were told');
    expect(heard.toSorted()).toEqual(['first', 'late', 'second']);
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
