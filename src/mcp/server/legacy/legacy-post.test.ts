import { describe, expect, test } from 'vitest';
import { Harness, initialize, request } from '../../../../test/support/server/harness.js';

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
