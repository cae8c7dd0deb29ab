import { describe, expect, test } from 'vitest';
import { initialize, request } from '../../../../test/support/server/harness.js';
import { until } from '../../../../test/support/http/until.js';
import { openChannel } from '../../../../test/support/server/open-channel.js';
import type { TestChannel } from '../../../../test/support/server/test-channel.js';
import type { Parsed } from '../../../../test/support/server/event-reader.js';

async function handshake(channel: TestChannel, revision?: string, capabilities?: object): Promise<void> {
  channel.receive(initialize(revision, capabilities));
  expect((await channel.answer('init')).result.serverInfo.name).toBe('harness');
  channel.receive({ jsonrpc: '2.0', method: 'notifications/initialized' });
}

describe('the handshake era', () => {
  test('one session for the channel', async () => {
    const { channel, notifier } = openChannel();
    channel.receive(request(1, 'ping'));
    expect(await channel.answer(1)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    channel.receive(request(2, 'tools/list'));
    expect((await channel.answer(2)).error.code).toBe(-32000);
    await handshake(channel);
    channel.receive(request(3, 'tools/call', { name: 'x', arguments: { a: 1 } }));
    expect((await channel.answer(3)).result).toEqual({ content: [], got: { a: 1 }, principal: 'alice' });
    channel.receive(initialize());
    await until(
      () => channel.sent.filter((each) => each.id === 'init').length === 2,
      'the second handshake is answered',
    );
    expect(channel.sent.at(-1).error.code).toBe(-32600);
    notifier.toolsChanged();
    expect(await channel.said('notifications/tools/list_changed')).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
    });
  });

  test('a handshake that cannot be read is answered under its id, and may be repeated', async () => {
    const { channel } = openChannel();
    channel.receive(request(1, 'initialize', { protocolVersion: 7 }));
    expect((await channel.answer(1)).error).toMatchObject({
      code: -32602,
      message: 'protocolVersion must be a string',
    });
    await handshake(channel);
  });

  test('progress, logs and questions share the channel', async () => {
    const { channel } = openChannel({
      call: async (r) => {
        r.progress({ progress: 1 });
        r.log({ level: 'error', data: 'x' });
        return { content: [], seen: (await r.askClient({ a: { method: 'roots/list' } })) as never };
      },
    });
    await handshake(channel, undefined, { roots: {} });
    channel.receive(request(1, 'logging/setLevel', { level: 'info' }));
    channel.receive(request(2, 'tools/call', { name: 'x', _meta: { progressToken: 'p' } }));
    expect((await channel.said('notifications/progress')).params).toEqual({
      progressToken: 'p',
      progress: 1,
    });
    expect((await channel.said('notifications/message')).params).toEqual({ level: 'error', data: 'x' });
    const asked = await channel.said('roots/list');
    channel.receive({ jsonrpc: '2.0', id: asked.id, result: { roots: [] } });
    expect((await channel.answer(2)).result.seen).toEqual({ a: { roots: [] } });
  });

  test('cancelling', async () => {
    let aborted = false;
    const { channel } = openChannel({
      call: async (r) => {
        await new Promise<void>((resolve) =>
          r.signal.addEventListener('abort', () => {
            aborted = true;
            resolve();
          }),
        );
        return { content: [] };
      },
    });
    await handshake(channel);
    channel.receive(request(7, 'tools/call', { name: 'x' }));
    channel.receive(request(7, 'ping'));
    expect((await channel.answer(7)).error.code).toBe(-32600);
    channel.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
    await until(() => aborted, 'the handler hears of it');
    channel.receive(request(8, 'ping'));
    await channel.answer(8);
    expect(channel.sent.filter((each) => each.id === 7)).toHaveLength(1);
  });

  test('batches, where there are any', async () => {
    const { channel } = openChannel();
    await handshake(channel, '2025-03-26');
    channel.receive([
      request(1, 'ping'),
      { jsonrpc: '2.0', method: 'notifications/x' },
      request(2, 'nope'),
      7,
    ]);
    await until(() => Array.isArray(channel.sent.at(-1)), 'an array comes back');
    expect(channel.sent.at(-1).map((each: Parsed) => [each.id, each.error?.code])).toEqual(
      expect.arrayContaining([
        [1, undefined],
        [2, -32601],
        [null, -32600],
      ]),
    );
  });

  test.each([
    ['broken JSON', '{', -32700],
    ['no message', '{}', -32600],
    ['a batch', '[]', -32600],
    ['a duplicate key', '{"jsonrpc":"2.0","jsonrpc":"2.0"}', -32600],
  ])('%s', async (_name, text, code) => {
    const { channel } = openChannel();
    channel.receive(text);
    expect(await channel.answer(null)).toMatchObject({ error: { code } });
  });

  test('switched off', async () => {
    const { channel } = openChannel({ legacy: 'off' });
    channel.receive(initialize());
    expect((await channel.answer('init')).error).toMatchObject({
      code: -32022,
      data: { requested: '2025-11-25' },
    });
    channel.receive(request(1, 'tools/list'));
    expect((await channel.answer(1)).error.code).toBe(-32602);
  });

  test('a client that left is gone: calls, questions and subscriptions end', async () => {
    let aborted = false;
    const { channel, events } = openChannel({
      call: async (r) => {
        r.signal.addEventListener('abort', () => {
          aborted = true;
        });
        await r.askClient({ a: { method: 'roots/list' } });
        return { content: [] };
      },
    });
    await handshake(channel, undefined, { roots: {} });
    channel.receive(request(1, 'tools/call', { name: 'x' }));
    await channel.said('roots/list');
    channel.leave();
    expect(aborted).toBe(true);
    expect(events).toContainEqual({ type: 'session_ended', reason: 'closed' });
    const count = channel.sent.length;
    channel.receive(request(2, 'ping'));
    expect(channel.sent.length).toBe(count);
  });
});
