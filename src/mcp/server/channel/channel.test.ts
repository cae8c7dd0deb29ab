import { describe, expect, test } from 'vitest';
import { DESCRIPTION, envelope, Gate, initialize, request } from '../../../../test/support/server/harness.js';
import { until } from '../../../../test/support/http/until.js';
import { ProtocolError } from '../../jsonrpc/index.js';
import type { MessageChannel } from '../../transports/index.js';
import {
  createMcpServer,
  createNotifier,
  InputRequired,
  serveChannel,
  type Handler,
  type ServerEvent,
  type ServerOptions,
} from '../index.js';

/** A channel whose other end is a test. */
class TestChannel implements MessageChannel {
  readonly sent: any[] = [];
  closed = false;
  #onMessage: ((text: string) => void) | undefined;
  #onClose: ((reason: undefined) => void) | undefined;
  async send(text: string): Promise<void> {
    this.sent.push(JSON.parse(text));
  }
  onMessage(handler: (text: string) => void): void {
    this.#onMessage = handler;
  }
  onClose(handler: (reason: undefined) => void): void {
    this.#onClose = handler;
  }
  async close(): Promise<void> {
    this.closed = true;
  }
  receive(message: unknown): void {
    this.#onMessage?.(typeof message === 'string' ? message : JSON.stringify(message));
  }
  leave(): void {
    this.#onClose?.(undefined);
  }
  /** The answer to a request. */
  async answer(id: unknown): Promise<any> {
    const isAnswer = (each: any): boolean => each.id === id && each.method === undefined;
    await until(() => this.sent.some(isAnswer), `an answer to ${String(id)}`);
    return this.sent.find(isAnswer);
  }
  async said(method: string): Promise<any> {
    await until(() => this.sent.some((each) => each.method === method), method);
    return this.sent.find((each) => each.method === method);
  }
}

function open(options: Partial<ServerOptions> & { call?: Handler } = {}) {
  const { call, ...rest } = options;
  const channel = new TestChannel();
  const notifier = createNotifier();
  const events: ServerEvent[] = [];
  const server = createMcpServer({
    describe: DESCRIPTION,
    listen: notifier.listen,
    onEvent: (event) => events.push(event),
    ...rest,
    handlers: {
      'tools/list': () => ({ tools: [] }),
      'tools/call':
        call ?? (({ params, principal }) => ({ content: [], got: params['arguments'], principal })),
    },
  });
  const served = serveChannel(server, channel, 'alice');
  return { channel, notifier, server, served, events };
}

function modern(
  id: unknown,
  method: string,
  params: object = {},
  capabilities: object = {},
  meta: object = {},
): object {
  return request(id, method, { ...params, _meta: { ...envelope(capabilities), ...meta } });
}

async function handshake(channel: TestChannel, revision?: string, capabilities?: object): Promise<void> {
  channel.receive(initialize(revision, capabilities));
  expect((await channel.answer('init')).result.serverInfo.name).toBe('harness');
  channel.receive({ jsonrpc: '2.0', method: 'notifications/initialized' });
}

describe('the handshake era', () => {
  test('one session for the channel', async () => {
    const { channel, notifier } = open();
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

  test('progress, logs and questions share the channel', async () => {
    const { channel } = open({
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
    const { channel } = open({
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
    const { channel } = open();
    await handshake(channel, '2025-03-26');
    channel.receive([
      request(1, 'ping'),
      { jsonrpc: '2.0', method: 'notifications/x' },
      request(2, 'nope'),
      7,
    ]);
    await until(() => Array.isArray(channel.sent.at(-1)), 'an array comes back');
    expect(channel.sent.at(-1).map((each: any) => [each.id, each.error?.code])).toEqual(
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
    const { channel } = open();
    channel.receive(text);
    expect(await channel.answer(null)).toMatchObject({ error: { code } });
  });

  test('switched off', async () => {
    const { channel } = open({ legacy: 'off' });
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
    const { channel, events } = open({
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

describe('the modern era', () => {
  test('requests stand for themselves', async () => {
    const { channel } = open();
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
    const { channel } = open();
    channel.receive(modern(1, 'tools/call', { name: 'x' }, {}, meta));
    expect((await channel.answer(1)).error.code).toBe(code);
  });

  test('rounds', async () => {
    const { channel } = open({
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
    const { channel } = open({
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

  test('several listens, told apart by their ids', async () => {
    const { channel, notifier, server } = open();
    channel.receive(modern('l1', 'subscriptions/listen', { notifications: { toolsListChanged: true } }));
    channel.receive(modern(2, 'subscriptions/listen', { notifications: { toolsListChanged: true } }));
    await until(() => channel.sent.length === 2, 'both are acknowledged');
    notifier.toolsChanged();
    const id = (each: any): unknown =>
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
    const { channel } = open();
    channel.receive(modern(1, 'subscriptions/listen', {}));
    expect((await channel.answer(1)).error.code).toBe(-32602);
    channel.receive(modern(1, 'subscriptions/listen', { notifications: {} }));
    expect((await channel.said('notifications/subscriptions/acknowledged')).params.notifications).toEqual({});
  });

  test.each([
    ['a protocol error', new ProtocolError(-32602, 'no'), -32602],
    ['a failure', new Error('secret'), -32603],
  ])('%s of a port', async (_name, error, code) => {
    const { channel } = open({ describe: () => Promise.reject(error) });
    channel.receive(modern(1, 'tools/list'));
    const answer = await channel.answer(1);
    expect([answer.error.code, JSON.stringify(answer).includes('secret')]).toEqual([code, false]);
  });

  test.each([
    [2, 0],
    [3, 1],
  ])('limit 2: %i in flight, %i refused', async (count, refused) => {
    const gate = new Gate();
    const { channel } = open({
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
    const { channel, notifier, served } = open({
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
