import { describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/http/until.js';
import { Harness } from '../../../../test/support/server/harness.js';

const CHANGED = 'notifications/tools/list_changed';

describe('S70 S71: the standing stream', () => {
  test('hears of changed lists and subscribed resources', async () => {
    const harness = new Harness();
    const session = await harness.session();
    const reader = await session.get();
    expect(reader.status).toBe(200);
    expect(await reader.next()).toMatchObject({ data: '', id: expect.any(String) });
    harness.notifier.toolsChanged();
    harness.notifier.resourceUpdated('a:b');
    expect((await session.request('resources/subscribe', { uri: 'a:b' })).body.result).toEqual({});
    expect((await session.request('resources/subscribe', { uri: 'a:b' })).body.result).toEqual({});
    harness.notifier.resourceUpdated('a:b');
    expect(await reader.message()).toEqual({ jsonrpc: '2.0', method: CHANGED });
    expect(await reader.message()).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri: 'a:b' },
    });
    expect((await session.request('resources/unsubscribe', { uri: 'a:b' })).body.result).toEqual({});
    harness.notifier.resourceUpdated('a:b');
    harness.notifier.promptsChanged();
    expect((await reader.message()).method).toBe('notifications/prompts/list_changed');
    await reader.cancel();
  });

  test('S70: a second one is refused until the first is gone', async () => {
    const harness = new Harness();
    const session = await harness.session();
    const first = await session.get();
    expect((await session.get()).status).toBe(409);
    await first.cancel();
    const second = await session.get();
    expect(second.status).toBe(200);
    await second.cancel();
  });

  test('S70: an unknown session', async () => {
    expect((await new Harness().get({ 'mcp-session-id': 'x' })).status).toBe(404);
  });

  test('S71, B25: what happens while nobody listens waits, once', async () => {
    const harness = new Harness();
    const session = await harness.session();
    harness.notifier.toolsChanged();
    harness.notifier.toolsChanged();
    harness.notifier.promptsChanged();
    const reader = await session.get();
    expect((await reader.message()).method).toBe(CHANGED);
    expect((await reader.message()).method).toBe('notifications/prompts/list_changed');
    harness.notifier.toolsChanged();
    expect((await reader.message()).method).toBe(CHANGED);
    await reader.cancel();
  });

  test.each([
    [3, 0],
    [4, 1],
  ])('S71: of %i changes %i is too many', async (count, dropped) => {
    const harness = new Harness({ limits: { queuedChanges: 3 } });
    const session = await harness.session();
    for (let i = 0; i < count; i++) await session.request('resources/subscribe', { uri: `a:${i}` });
    for (let i = 0; i < count; i++) harness.notifier.resourceUpdated(`a:${i}`);
    const reader = await session.get();
    const heard: string[] = [];
    for (let i = dropped; i < count; i++) heard.push((await reader.message()).params.uri);
    expect(heard).toEqual(Array.from({ length: count - dropped }, (_, i) => `a:${i + dropped}`));
    expect(harness.events.filter((event) => event.type === 'notification_dropped')).toHaveLength(dropped);
    await reader.cancel();
  });

  test('nothing is told before the handshake is complete', async () => {
    const harness = new Harness();
    const session = await harness.session({ initialized: false });
    const reader = await session.get();
    harness.notifier.toolsChanged();
    await session.notify('notifications/initialized');
    harness.notifier.promptsChanged();
    expect((await reader.message()).method).toBe('notifications/prompts/list_changed');
    await reader.cancel();
  });

  test('each session is told, and only what belongs to it', async () => {
    const harness = new Harness();
    const [one, two] = [await harness.session(), await harness.session({ principal: 'bob' })];
    await one.request('resources/subscribe', { uri: 'a:b' });
    const [first, second] = [await one.get(), await two.get()];
    harness.notifier.resourceUpdated('a:b');
    harness.notifier.toolsChanged();
    expect((await first.message()).method).toBe('notifications/resources/updated');
    expect((await second.message()).method).toBe(CHANGED);
    await Promise.all([first.cancel(), second.cancel()]);
  });

  test('a resource that is given up and taken anew while the first request for it is under way', async () => {
    const opened: (() => void)[] = [];
    const open = new Set<object>();
    const harness = new Harness({
      listen: ({ filter }) => {
        const subscription = { honoured: filter, close: () => void open.delete(subscription) };
        if (filter.resourceSubscriptions === undefined) return subscription;
        return new Promise((resolve) => {
          opened.push(() => {
            open.add(subscription);
            resolve(subscription);
          });
        });
      },
    });
    const session = await harness.session();
    const first = session.request('resources/subscribe', { uri: 'a:b' });
    await until(() => opened.length === 1, 'the first request');
    await session.request('resources/unsubscribe', { uri: 'a:b' });
    const second = session.request('resources/subscribe', { uri: 'a:b' });
    await until(() => opened.length === 2, 'the second request');
    for (const answer of opened) answer();
    expect([(await first).body.result, (await second).body.result]).toEqual([{}, {}]);
    expect(open.size).toBe(1);
    await session.request('resources/unsubscribe', { uri: 'a:b' });
    expect(open.size).toBe(0);
  });

  test('a resource that cannot be subscribed to', async () => {
    const harness = new Harness({
      listen: ({ filter }) => ({ honoured: { ...filter, resourceSubscriptions: [] }, close: () => {} }),
    });
    const session = await harness.session();
    expect((await session.request('resources/subscribe', { uri: 'a:b' })).body.error).toMatchObject({
      code: -32602,
      data: { uri: 'a:b' },
    });
  });

  test.each([
    ['late', () => Promise.reject(new Error('secret'))],
    [
      'at once',
      () => {
        throw new Error('secret');
      },
    ],
  ])('a listen that fails %s', async (_name, listen) => {
    const harness = new Harness({
      listen: ({ filter }) =>
        filter.resourceSubscriptions === undefined ? { honoured: filter, close: () => {} } : listen(),
    });
    const session = await harness.session();
    const answer = await session.request('resources/subscribe', { uri: 'a:b' });
    expect(answer.body.error).toEqual({ code: -32603, message: 'Internal error' });
    expect(harness.count('port_failed')).toBe(1);
  });
});
