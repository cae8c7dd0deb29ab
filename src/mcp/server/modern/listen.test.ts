import { describe, expect, test } from 'vitest';
import { Harness, type HarnessOptions, type ModernOptions } from '../../../../test/support/server/harness.js';
import type { EventReader } from '../../../../test/support/server/event-reader.js';
import { until } from '../../../../test/support/http/until.js';
import { ProtocolError } from '../../jsonrpc/index.js';
import type { ChangeNotification } from '../../model/index.js';
import type { Listen } from '../index.js';

const ID = 'io.modelcontextprotocol/subscriptionId';
const EVERYTHING = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

function listen(harness: Harness, notifications: unknown, options: ModernOptions = {}): Promise<EventReader> {
  return harness.modernStream('subscriptions/listen', { notifications }, options);
}

describe('S47: subscriptions/listen', () => {
  test('acknowledgement first, then only what was asked for, each with the id', async () => {
    const harness = new Harness();
    const reader = await listen(
      harness,
      { toolsListChanged: true, promptsListChanged: false, resourceSubscriptions: ['a:b', 'a:b'] },
      { id: 4711 },
    );
    expect(reader.headers.get('content-type')).toBe('text/event-stream');
    expect(await reader.message()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: {
        notifications: { toolsListChanged: true, resourceSubscriptions: ['a:b'] },
        _meta: { [ID]: 4711 },
      },
    });
    harness.notifier.promptsChanged();
    harness.notifier.resourceUpdated('a:c');
    harness.notifier.toolsChanged();
    harness.notifier.resourceUpdated('a:b');
    expect(await reader.message()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
      params: { _meta: { [ID]: 4711 } },
    });
    expect(await reader.message()).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: 'a:b', _meta: { [ID]: 4711 } },
    });
    await reader.cancel();
  });

  test('closing the server ends it with a result', async () => {
    const harness = new Harness();
    const reader = await listen(harness, EVERYTHING, { id: 'sub' });
    await reader.message();
    await harness.server.close();
    expect(await reader.message()).toMatchObject({
      id: 'sub',
      result: { resultType: 'complete', _meta: { [ID]: 'sub' } },
    });
    expect(await reader.next()).toBeUndefined();
  });

  test('quiet streams are kept alive', async () => {
    const harness = new Harness({ streams: { keepAliveMs: 20 } });
    const reader = await listen(harness, EVERYTHING);
    while (reader.raw.split(': keep-alive\n\n').length < 4) await reader.more();
    expect((await reader.next())?.message.method).toBe('notifications/subscriptions/acknowledged');
    await reader.cancel();
  });

  test('B25: each listening client has its own copy', async () => {
    const harness = new Harness();
    const readers = await Promise.all([1, 2, 3].map((id) => listen(harness, EVERYTHING, { id })));
    for (const reader of readers) await reader.message();
    harness.notifier.toolsChanged();
    for (const [index, reader] of readers.entries()) {
      expect((await reader.message()).params._meta[ID]).toBe(index + 1);
      await reader.cancel();
    }
  });

  test('only what is advertised is honoured', async () => {
    const harness = new Harness({
      describe: {
        info: { name: 'x', version: '1' },
        capabilities: { tools: {}, prompts: { listChanged: true } },
      },
    });
    const reader = await listen(harness, { ...EVERYTHING, resourceSubscriptions: ['a:b'] });
    expect((await reader.message()).params.notifications).toEqual({ promptsListChanged: true });
    await reader.cancel();
  });

  test.each<[string, unknown, ModernOptions, number, number]>([
    ['no filter', undefined, {}, 200, -32602],
    ['a flag that is none', { toolsListChanged: 1 }, {}, 200, -32602],
    ['URIs that are none', { resourceSubscriptions: [1] }, {}, 200, -32602],
    ['too many URIs', { resourceSubscriptions: Array.from({ length: 1001 }, String) }, {}, 200, -32602],
    ['tasks without the extension', { taskIds: ['t'] }, {}, 400, -32021],
    ['a client that accepts JSON only', EVERYTHING, { headers: { accept: 'application/json' } }, 406, -32600],
  ])('%s is refused', async (_name, notifications, options, status, code) => {
    const answer = await new Harness().modern('subscriptions/listen', { notifications }, options);
    expect([answer.status, answer.body.error.code, answer.body.id]).toEqual([status, code, 1]);
  });

  test('without anything to listen to the method does not exist', async () => {
    const answer = await new Harness({ listen: undefined as never }).modern('subscriptions/listen', {
      notifications: {},
    });
    expect([answer.status, answer.body.error.code]).toEqual([404, -32601]);
  });
});

/** A `listen` whose every step a test decides. */
function manual(): {
  listen: Listen;
  emit: (notification: ChangeNotification) => void;
  ready: () => void;
  fail: (error: unknown) => void;
  closed: () => number;
} {
  let emit: ((notification: ChangeNotification) => void) | undefined;
  let closed = 0;
  let ready: (() => void) | undefined;
  let fail: ((error: unknown) => void) | undefined;
  return {
    listen: (request) => {
      emit = (notification) => request.emit(notification);
      return new Promise((resolve, reject) => {
        fail = reject;
        ready = () =>
          resolve({
            honoured: request.filter,
            close: () => {
              closed++;
            },
          });
      });
    },
    emit: (notification) => emit?.(notification),
    ready: () => ready?.(),
    fail: (error) => fail?.(error),
    closed: () => closed,
  };
}

describe('a listen that takes its time', () => {
  const changed: ChangeNotification = { method: 'notifications/tools/list_changed' };
  const start = (
    options: HarnessOptions,
  ): { harness: Harness; reader: Promise<EventReader>; abort: AbortController } => {
    const harness = new Harness(options);
    const abort = new AbortController();
    const reader = listen(harness, EVERYTHING, { signal: abort.signal });
    reader.catch(() => {});
    return { harness, reader, abort };
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  test('what comes before the acknowledgement follows it', async () => {
    const source = manual();
    const { reader } = start({ listen: source.listen });
    await turn();
    source.emit(changed);
    source.ready();
    const open = await reader;
    expect((await open.message()).method).toBe('notifications/subscriptions/acknowledged');
    expect((await open.message()).method).toBe(changed.method);
    // Whatever the source tells of, only what was asked for is passed on.
    source.emit({ method: 'notifications/resources/updated', params: { uri: 'a:b' } });
    source.emit({ method: 'notifications/tasks', params: { taskId: 't' } });
    source.emit(changed);
    expect((await open.message()).method).toBe(changed.method);
    await open.cancel();
    await until(() => source.closed() === 1, 'the subscription is closed');
    source.emit(changed);
  });

  test('a client that left before is not subscribed', async () => {
    const source = manual();
    const { abort } = start({ listen: source.listen });
    await turn();
    abort.abort();
    source.ready();
    await until(() => source.closed() > 0, 'the subscription is closed');
    await turn();
    expect(source.closed()).toBe(1);
  });

  test.each([
    ['a protocol error', new ProtocolError(-32602, 'no such resource'), -32602],
    ['a failure', new Error('secret'), -32603],
  ])('%s is told', async (_name, error, code) => {
    const source = manual();
    const { reader } = start({ listen: source.listen });
    await turn();
    source.fail(error);
    const open = await reader;
    expect(open.status).toBe(200);
    await open.more();
    expect(JSON.parse(open.raw)).toMatchObject({ id: 1, error: { code } });
    expect(open.raw).not.toContain('secret');
  });
});

describe('limits', () => {
  test.each([
    ['in total', { listens: 2 }],
    ['of one principal', { listensPerPrincipal: 2 }],
  ])('S47: too many listens %s are refused in band', async (_name, limits) => {
    const harness = new Harness({ limits });
    const one = await listen(harness, EVERYTHING);
    const two = await listen(harness, EVERYTHING);
    const refused = await harness.modern('subscriptions/listen', { notifications: {} });
    expect([refused.status, refused.body.error.code]).toEqual([200, -32603]);
    expect(harness.events).toContainEqual({ type: 'limit_reached', limit: 'listens' });
    await one.cancel();
    const three = await listen(harness, EVERYTHING);
    expect((await three.message()).method).toBe('notifications/subscriptions/acknowledged');
    await Promise.all([two.cancel(), three.cancel()]);
  });

  test('H-40: a client that never reads is let go', async () => {
    const harness = new Harness({ limits: { maxStreamBytes: 10_000 } });
    const reader = await listen(harness, { resourceSubscriptions: ['a:b'] });
    for (let i = 0; i < 200; i++) harness.notifier.resourceUpdated('a:b');
    expect(harness.count('stream_stalled')).toBe(1);
    await expect(reader.rest()).rejects.toThrow('too slow');
    const next = await listen(harness, EVERYTHING);
    expect(await next.message()).toBeDefined();
    await next.cancel();
  });

  test('a client that reads too slowly is let go at the second sign of life', async () => {
    const harness = new Harness({ limits: { slowStreamBytes: 1000 }, streams: { keepAliveMs: 20 } });
    const reader = await listen(harness, { resourceSubscriptions: ['a:b'] });
    for (let i = 0; i < 30; i++) harness.notifier.resourceUpdated('a:b');
    await until(() => harness.count('stream_stalled') === 1, 'the stream is closed');
    await expect(reader.rest()).rejects.toThrow('too slow');
  });
});
