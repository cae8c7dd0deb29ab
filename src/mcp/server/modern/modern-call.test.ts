import { describe, expect, test } from 'vitest';
import { Harness, MODERN } from '../../../../test/support/server/harness.js';
import { ProtocolError } from '../../jsonrpc/index.js';
import { prepareResult, type McpRequest } from '../index.js';

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

describe('results', () => {
  test('S39: server/discover', async () => {
    const answer = await new Harness().modern('server/discover');
    expect(answer.body.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: [MODERN],
      capabilities: { tools: { listChanged: true } },
      instructions: 'Ask politely.',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { [SERVER_INFO]: { name: 'harness', version: '1.0.0' } },
    });
  });

  test('S40 S41: type, identity and cache hints', async () => {
    const harness = new Harness({ cache: { ttlMs: 5000, cacheScope: 'public' } });
    const list = await harness.modern('tools/list');
    expect(list.body.result).toMatchObject({ resultType: 'complete', ttlMs: 5000, cacheScope: 'public' });
    const call = await harness.modern('tools/call', { name: 'echo' });
    expect(call.body.result).toMatchObject({
      resultType: 'complete',
      _meta: { [SERVER_INFO]: { name: 'harness' } },
    });
    expect(call.body.result).not.toHaveProperty('ttlMs');
  });

  test('what a handler says itself is kept', async () => {
    const harness = new Harness({
      handlers: { 'tools/list': () => ({ tools: [], ttlMs: 7, cacheScope: 'public' }) },
      call: () => ({ resultType: 'task', taskId: 'x', ttlMs: null }),
    });
    expect((await harness.modern('tools/list')).body.result).toMatchObject({
      ttlMs: 7,
      cacheScope: 'public',
    });
    expect((await harness.modern('tools/call', { name: 'echo' })).body.result).toMatchObject({
      resultType: 'task',
      ttlMs: null,
    });
  });

  test('a prepared result is written once for each wire form', async () => {
    const tools = prepareResult({ tools: [{ name: 'a', inputSchema: { type: 'object' } }] });
    const harness = new Harness({ handlers: { 'tools/list': () => tools } });
    const session = await harness.session();
    const first = await harness.modern('tools/list');
    const second = await harness.modern('tools/list', {}, { id: 'two' });
    expect(second.body.result).toEqual(first.body.result);
    expect(second.body.id).toBe('two');
    expect((await session.request('tools/list')).body.result).toEqual({ tools: tools.result['tools'] });
    expect(tools.texts.size).toBe(2);
  });

  test.each([
    ['S50: not found', new ProtocolError(-32602, 'Resource not found', { uri: 'a:b' }), -32602],
    ['S52: a code of the other era', new ProtocolError(-32002, 'gone', { uri: 'a:b' }), -32602],
    ['an own code', new ProtocolError(-1234, 'own'), -1234],
    ['-32601 from a handler stays in band', new ProtocolError(-32601, 'no'), -32601],
  ])('%s', async (_name, error, code) => {
    const harness = new Harness({
      handlers: {
        'resources/read': () => {
          throw error;
        },
      },
    });
    const answer = await harness.modern('resources/read', { uri: 'a:b' });
    expect([answer.status, answer.body.error.code]).toEqual([200, code]);
  });

  test('a method that neither the server nor its fallback knows does not exist', async () => {
    const harness = new Harness({
      fallback: () => {
        throw new ProtocolError(-32601, 'Method not found');
      },
    });
    const answer = await harness.modern('com.example/nothing');
    expect([answer.status, answer.body.error.code]).toEqual([404, -32601]);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('secret detail');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('secret detail');
      },
    ],
    ['returns nothing', () => undefined],
    [
      'returns what cannot be written',
      () => {
        const circle: Record<string, unknown> = {};
        circle['a'] = circle;
        return circle;
      },
    ],
    [
      'puts what cannot be written into an error',
      () => {
        throw new ProtocolError(-32603, 'Internal error', { a: 1n } as never);
      },
    ],
    ['asks where it may not', undefined],
  ])('a handler that %s is an internal error without detail', async (_name, handler) => {
    const harness = new Harness({
      handlers: {
        'tools/list': (handler ?? ((r: McpRequest) => r.askClient({ a: { method: 'roots/list' } }))) as never,
      },
    });
    const answer = await harness.modern('tools/list', {}, { capabilities: { roots: {} } });
    expect([answer.status, answer.body.error.code]).toEqual([200, -32603]);
    expect(answer.text).not.toContain('secret');
  });

  test('a handler failure is reported', async () => {
    const harness = new Harness({
      call: () => {
        throw new Error('detail');
      },
    });
    await harness.modern('tools/call', { name: 'echo' });
    expect(harness.events).toContainEqual({
      type: 'handler_failed',
      method: 'tools/call',
      error: new Error('detail'),
    });
  });

  test('describe may take its time, and may fail', async () => {
    const description = { info: { name: 'late', version: '1' }, capabilities: { tools: {} } };
    const late = new Harness({ describe: async () => description });
    expect((await late.modern('tools/list')).body.result._meta[SERVER_INFO].name).toBe('late');
    const broken = new Harness({ describe: () => Promise.reject(new Error('detail')) });
    const answer = await broken.modern('tools/list');
    expect([answer.status, answer.body.error.code, answer.text.includes('detail')]).toEqual([
      500,
      -32603,
      false,
    ]);
  });

  test('the description depends on the principal', async () => {
    const harness = new Harness({
      describe: (principal) => ({ info: { name: principal, version: '1' }, capabilities: {} }),
    });
    const answer = await harness.modern('server/discover', {}, { principal: 'bob' });
    expect(answer.body.result._meta[SERVER_INFO].name).toBe('bob');
  });

  const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

  test('handlers do not see what belongs to the hop', async () => {
    const harness = new Harness({
      call: ({ params, principal, client }) => ({
        content: [],
        seen: { params, principal, info: client.info } as never,
      }),
    });
    const answer = await harness.modern(
      'tools/call',
      { name: 'echo' },
      { meta: { progressToken: 1, traceparent: TRACE, 'vendor/key': 1 }, principal: 'bob' },
    );
    expect(answer.body.result.seen).toEqual({
      params: { name: 'echo', _meta: { traceparent: TRACE, 'vendor/key': 1 } },
      principal: 'bob',
      info: { name: 'tester', version: '1' },
    });
  });
});
