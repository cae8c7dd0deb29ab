import { describe, expect, test } from 'vitest';
import { Gate, Harness, request, type HarnessOptions } from '../../../../test/support/server/harness.js';

const SAMPLE = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } } as const;
const ROOTS = { method: 'roots/list' } as const;
const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const MESSAGE = { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' };

describe('S12 J-14: batches', () => {
  const ping = (id: unknown): object => request(id, 'ping');
  const open03 = async (options: HarnessOptions = {}) =>
    new Harness(options).session({ revision: '2025-03-26', capabilities: CAPABILITIES });

  test('each request is answered, notifications and responses are not', async () => {
    const session = await open03();
    const answer = await session.post([
      ping(1),
      { jsonrpc: '2.0', method: 'notifications/x' },
      ping('two'),
      { jsonrpc: '2.0', id: 9, result: {} },
      request(3, 'nope'),
      7,
    ]);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(answer.body).toHaveLength(4);
    expect(answer.body).toEqual(
      expect.arrayContaining([
        { jsonrpc: '2.0', id: 1, result: {} },
        { jsonrpc: '2.0', id: 'two', result: {} },
        expect.objectContaining({ id: 3, error: { code: -32601, message: 'Method not found' } }),
        expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32600 }) }),
      ]),
    );
  });

  test('nothing to answer', async () => {
    const session = await open03();
    const answer = await session.post([
      { jsonrpc: '2.0', method: 'notifications/x' },
      { jsonrpc: '2.0', id: 9, result: {} },
    ]);
    expect([answer.status, answer.text]).toEqual([202, '']);
  });

  test('a batch that needs a stream is answered event by event', async () => {
    const gate = new Gate();
    const session = await open03({
      call: async (r) => {
        await gate.passed;
        r.progress({ progress: 1 });
        return { content: [] };
      },
    });
    const pending = session.post([
      ping(1),
      request(2, 'tools/call', { name: 'echo', _meta: { progressToken: 'p' } }),
    ]);
    await session.request('ping');
    gate.open();
    const answer = await pending;
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    const messages = answer.text
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice(6)));
    expect(messages.map((message) => message.id ?? message.method)).toEqual([1, 'notifications/progress', 2]);
  });

  test('a cancelled part is left out', async () => {
    const session = await open03({
      call: async () => {
        await new Gate().passed;
        return { content: [] };
      },
    });
    const pending = session.post([ping(1), request(2, 'tools/call', { name: 'echo' })]);
    await session.request('ping');
    await session.notify('notifications/cancelled', { requestId: 2 });
    expect((await pending).body).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  });

  test('a client that accepts event streams only misses no answer, whatever the first one is', async () => {
    const gate = new Gate();
    const harness = new Harness({
      call: async () => {
        await gate.passed;
        return { content: [] };
      },
    });
    const session = await harness.session({ revision: '2025-03-26' });
    const reader = await harness.stream(
      [request(1, 'tools/call', { name: 'echo' }), request(1, 'ping'), ping(2)],
      { ...session.headers, accept: 'text/event-stream' },
    );
    gate.open();
    const answers = (await reader.rest()).map(({ id, error }) => [id, error?.code]);
    expect(answers).toEqual([
      [1, -32600],
      [2, undefined],
      [1, undefined],
    ]);
  });

  test('the same id twice', async () => {
    const gate = new Gate();
    const session = await open03({
      call: async () => {
        await gate.passed;
        return { content: [] };
      },
    });
    const pending = session.post([request(1, 'tools/call', { name: 'echo' }), request(1, 'ping')]);
    await session.request('ping', {});
    gate.open();
    const { body } = await pending;
    expect(body).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ result: { content: [] } }),
        expect.objectContaining({ error: expect.objectContaining({ code: -32600 }) }),
      ]),
    );
  });

  test.each([
    ['empty', []],
    ['with initialize in it', [ping(1), request(2, 'initialize', {})]],
    [
      'with a modern message in it',
      [request(1, 'tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': 'x' } })],
    ],
  ])('M-6 S11: %s', async (_name, batch) => {
    const answer = await (await open03()).post(batch);
    expect([answer.status, answer.body.error.code, answer.body.id]).toEqual([400, -32600, null]);
  });

  test.each([
    [49, 200],
    [50, 200],
    [51, 400],
  ])('of %i', async (length, status) => {
    const answer = await (await open03()).post(Array.from({ length }, (_, id) => ping(id)));
    expect(answer.status).toBe(status);
  });

  test('without a session, and in an unknown one', async () => {
    const harness = new Harness();
    expect((await harness.post([ping(1)])).status).toBe(400);
    expect((await harness.post([ping(1)], { 'mcp-session-id': 'x' })).status).toBe(404);
  });

  test('answers to several questions may come in one', async () => {
    const session = await open03({
      call: async (r) => ({ content: [], seen: (await r.askClient({ a: ROOTS, b: SAMPLE })) as never }),
    });
    const reader = await session.call();
    const asked = [await reader.message(), await reader.message()];
    const answers = asked.map((each) => ({
      jsonrpc: '2.0',
      id: each.id,
      result: each.method === 'roots/list' ? { roots: [] } : MESSAGE,
    }));
    expect((await session.post(answers)).status).toBe(202);
    expect((await reader.message()).result.seen).toEqual({ a: { roots: [] }, b: MESSAGE });
  });

  test('S15: answers that a call waits for are taken while the server shuts down, and no new requests', async () => {
    const harness = new Harness({
      call: async (r) => ({ content: [], seen: (await r.askClient({ a: SAMPLE })) as never }),
    });
    const session = await harness.session({ revision: '2025-03-26', capabilities: CAPABILITIES });
    const reader = await session.call();
    const answer = { jsonrpc: '2.0', id: (await reader.message()).id, result: MESSAGE };
    const closed = harness.server.close();
    expect((await session.post([answer, ping(1)])).status).toBe(503);
    expect((await session.post([answer, { jsonrpc: '2.0', method: 'notifications/x' }])).status).toBe(202);
    expect((await reader.message()).result.seen).toEqual({ a: MESSAGE });
    await closed;
  });
});
