import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { DESCRIPTION, envelope, Gate, request } from '../../../../test/support/server/harness.js';
import { until } from '../../../../test/support/http/until.js';
import { openChannel } from '../../../../test/support/server/open-channel.js';
import type { TestChannel } from '../../../../test/support/server/test-channel.js';
import type { Parsed } from '../../../../test/support/server/event-reader.js';
import { ProtocolError } from '../../jsonrpc/index.js';
import { InputRequired } from '../index.js';

const CANCELLED = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };

function modern(
  id: unknown,
  method: string,
  params: object = {},
  capabilities: object = {},
  meta: object = {},
): object {
  return request(id, method, { ...params, _meta: { ...envelope(capabilities), ...meta } });
}

describe('the modern era', () => {
  test('requests stand for themselves', async () => {
    const { channel } = openChannel();
    channel.receive(modern(1, 'server/discover'));
    expect((await channel.answer(1)).result).toMatchObject({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
    });
    channel.receive(modern('two', 'tools/call', { name: 'x', arguments: { a: 1 } }));
    expect((await channel.answer('two')).result).toMatchObject({ resultType: 'complete', got: { a: 1 } });
    channel.receive(modern(3, 'ping'));
    expect((await channel.answer(3)).error.code).toBe(-32601);
  });

  test.each([
    ['S28: no capabilities', { 'io.modelcontextprotocol/clientCapabilities': undefined }, -32602],
    ['S30: another version', { 'io.modelcontextprotocol/protocolVersion': 'v9' }, -32022],
    ['S36: unknown log level', { 'io.modelcontextprotocol/logLevel': 'x' }, -32602],
    ['M-30: a bad token', { progressToken: [] }, -32602],
  ])('%s', async (_name, meta, code) => {
    const { channel } = openChannel();
    channel.receive(modern(1, 'tools/call', { name: 'x' }, {}, meta));
    expect((await channel.answer(1)).error.code).toBe(code);
  });

  test('rounds', async () => {
    const { channel } = openChannel({
      call: (r) =>
        r.resumed === undefined
          ? new InputRequired({ a: { method: 'roots/list' } }, 's')
          : { content: [], seen: r.resumed as never },
    });
    channel.receive(modern(1, 'tools/call', { name: 'x' }, { roots: {} }));
    const { requestState } = (await channel.answer(1)).result;
    channel.receive(
      modern(
        2,
        'tools/call',
        { name: 'x', inputResponses: { a: { roots: [] } }, requestState },
        { roots: {} },
      ),
    );
    expect((await channel.answer(2)).result.seen).toEqual({ responses: { a: { roots: [] } }, state: 's' });
    channel.receive(modern(3, 'tools/call', { name: 'x' }));
    expect((await channel.answer(3)).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { roots: {} } },
    });
  });

  test('cancelling is a message', async () => {
    const gate = new Gate();
    let aborted = false;
    const { channel } = openChannel({
      call: async (r) => {
        r.signal.addEventListener('abort', () => {
          aborted = true;
          gate.open();
        });
        await gate.passed;
        return { content: [] };
      },
    });
    channel.receive(modern(1, 'tools/call', { name: 'x' }));
    channel.receive(modern(1, 'tools/call', { name: 'x' }));
    expect((await channel.answer(1)).error.code).toBe(-32600);
    channel.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    expect(aborted).toBe(true);
    channel.receive(modern(2, 'tools/list'));
    await channel.answer(2);
    expect(channel.sent.filter((each) => each.id === 1)).toHaveLength(1);
  });

  test.each([
    ['cancelled', (channel: TestChannel) => channel.receive(CANCELLED)],
    ['left by its client', (channel: TestChannel) => channel.leave()],
  ])('a request that is %s before it is known what there is runs nothing', async (_name, giveUp) => {
    const gate = new Gate();
    let calls = 0;
    const { channel } = openChannel({
      describe: async () => {
        await gate.passed;
        return DESCRIPTION;
      },
      call: () => {
        calls++;
        return { content: [] };
      },
    });
    channel.receive(modern(1, 'tools/call', { name: 'x' }));
    // Its id is taken meanwhile.
    channel.receive(modern(1, 'tools/call', { name: 'x' }));
    expect((await channel.answer(1)).error.code).toBe(-32600);
    giveUp(channel);
    gate.open();
    await turn();
    expect(calls).toBe(0);
  });

  test('several listens, told apart by their ids', async () => {
    const { channel, notifier, server } = openChannel();
    channel.receive(modern('l1', 'subscriptions/listen', { notifications: { toolsListChanged: true } }));
    channel.receive(modern(2, 'subscriptions/listen', { notifications: { toolsListChanged: true } }));
    await until(() => channel.sent.length === 2, 'both are acknowledged');
    notifier.toolsChanged();
    const id = (each: Parsed): unknown =>
      (each.params ?? each.result)._meta['io.modelcontextprotocol/subscriptionId'];
    expect(channel.sent.slice(2).map(id)).toEqual(['l1', 2]);
    channel.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'l1' } });
    notifier.toolsChanged();
    expect(channel.sent.slice(4).map(id)).toEqual([2]);
    await server.close();
    expect(channel.sent.at(-1)).toMatchObject({ id: 2, result: { resultType: 'complete' } });
    expect(id(channel.sent.at(-1))).toBe(2);
    expect(channel.closed).toBe(true);
  });

  test('a bad listen', async () => {
    const { channel } = openChannel();
    channel.receive(modern(1, 'subscriptions/listen', {}));
    expect((await channel.answer(1)).error.code).toBe(-32602);
    channel.receive(modern(1, 'subscriptions/listen', { notifications: {} }));
    expect((await channel.said('notifications/subscriptions/acknowledged')).params.notifications).toEqual({});
  });

  test.each([
    ['a protocol error', new ProtocolError(-32602, 'no'), -32602],
    ['a failure', new Error('secret'), -32603],
  ])('%s of a port', async (_name, error, code) => {
    const { channel } = openChannel({ describe: () => Promise.reject(error) });
    channel.receive(modern(1, 'tools/list'));
    const answer = await channel.answer(1);
    expect([answer.error.code, JSON.stringify(answer).includes('secret')]).toEqual([code, false]);
  });

  test.each([
    [2, 0],
    [3, 1],
  ])('limit 2: %i in flight, %i refused', async (count, refused) => {
    const gate = new Gate();
    const { channel } = openChannel({
      limits: { inFlightPerSession: 2 },
      call: async () => {
        await gate.passed;
        return { content: [] };
      },
    });
    for (let id = 1; id <= count; id++) channel.receive(modern(id, 'tools/call', { name: 'x' }));
    gate.open();
    await until(() => channel.sent.length === count, 'all are answered');
    expect(channel.sent.filter((each) => each.error !== undefined)).toHaveLength(refused);
  });

  test('leaving ends everything', async () => {
    let aborted = false;
    const { channel, notifier, served } = openChannel({
      call: async (r) => {
        r.signal.addEventListener('abort', () => {
          aborted = true;
        });
        await new Gate().passed;
        return { content: [] };
      },
    });
    channel.receive(modern(1, 'tools/call', { name: 'x' }));
    channel.receive(modern(2, 'subscriptions/listen', { notifications: { toolsListChanged: true } }));
    await channel.said('notifications/subscriptions/acknowledged');
    await served.close();
    await served.close();
    const count = channel.sent.length;
    notifier.toolsChanged();
    expect([aborted, channel.closed, channel.sent.length]).toEqual([true, true, count]);
  });
});
