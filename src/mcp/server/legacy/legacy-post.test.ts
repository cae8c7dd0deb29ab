import { describe, expect, test } from 'vitest';
import { Harness, initialize, MODERN, request } from '../../../../test/support/server/harness.js';
import { TaskCreated } from '../index.js';

const VERSION = 'mcp-protocol-version';
const REVISION_03 = { [VERSION]: '2025-03-26' };
const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };

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
    ['notifications', notification, 202],
    ['responses', { jsonrpc: '2.0', id: 1, result: {} }, 202],
  ])('%s', async (_name, message, status) => {
    expect((await harness.post(message)).status).toBe(status);
  });

  test.each<[string, object[], Record<string, string>, number, unknown]>([
    ['of requests', [request(1, 'ping'), request('b', 'nope')], {}, 200, [1, 'b']],
    ['of the version that has them', [request(1, 'ping')], REVISION_03, 200, [1]],
    ['of one that has none', [request(1, 'ping')], { [VERSION]: '2025-06-18' }, 400, undefined],
    ['of the other era', [request(1, 'ping')], { [VERSION]: MODERN }, 400, undefined],
    ['without a request', [notification, { jsonrpc: '2.0', id: 1, result: {} }], {}, 202, undefined],
    ['with the handshake', [initialize()], {}, 400, undefined],
    ['that are empty', [], {}, 400, undefined],
  ])('S12: batches %s', async (_name, messages, headers, status, ids) => {
    const answer = await harness.post(messages, headers);
    expect(answer.status).toBe(status);
    if (status === 200) expect(answer.body.map(({ id }: { id: unknown }) => id)).toEqual(ids);
  });

  test('S12: a batch may have progress', async () => {
    const reader = await harness.stream([
      request(1, 'tools/call', { name: 'echo', _meta: { progressToken: 'a' } }),
      request(2, 'tools/call', { name: 'echo', _meta: { progressToken: 'b' } }),
    ]);
    const messages = await reader.rest();
    expect(messages).toHaveLength(4);
    const of = new Set(messages.map(({ id, params }) => id ?? params.progressToken));
    expect(of).toEqual(new Set([1, 2, 'a', 'b']));
  });

  test('D11: the version that has batches can be left out', async () => {
    const newer = new Harness({ legacy: 'stateless', oldestRevision: '2025-06-18' });
    const status = async (message: unknown, headers = {}): Promise<number> =>
      (await newer.post(message, headers)).status;
    expect(await status([request(1, 'ping')])).toBe(400);
    expect(await status(request(1, 'ping'), REVISION_03)).toBe(400);
    expect(await status(request(1, 'ping'))).toBe(200);
  });

  test('S39: a client of the version with tasks gets those that it was told of, and no other does', async () => {
    const task = { taskId: 't', status: 'working', createdAt: 'x', lastUpdatedAt: 'x', ttlMs: 1 } as const;
    const never = (): never => {
      throw new Error('not asked for');
    };
    const capabilities = { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const server = new Harness({
      legacy: 'stateless',
      describe: { info: { name: 'x', version: '1' }, capabilities },
      tasks: { get: () => task, settled: never, update: never, cancel: never, list: never },
      call: (r) => (r.tasks?.wanted === true ? new TaskCreated(task) : { content: [] }),
    });
    expect((await server.post(initialize())).body.result.capabilities.tasks).toBeDefined();
    const named = (version: string): Record<string, string> => ({ [VERSION]: version });
    const wish = request(1, 'tools/call', { name: 'echo', task: {} });
    const get = request(2, 'tasks/get', { taskId: 't' });
    expect((await server.post(wish, named('2025-11-25'))).body.result).toMatchObject({
      task: { taskId: 't' },
    });
    expect((await server.post(get, named('2025-11-25'))).body.result).toMatchObject({ taskId: 't' });
    expect((await server.post(wish, named('2025-06-18'))).body.result).toEqual({ content: [] });
    expect((await server.post(get, named('2025-06-18'))).body.error.code).toBe(-32601);
  });

  test('S32: there is nobody to remember a level for', async () => {
    expect((await harness.post(request(1, 'logging/setLevel', { level: 'info' }))).body.error.code).toBe(
      -32601,
    );
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
