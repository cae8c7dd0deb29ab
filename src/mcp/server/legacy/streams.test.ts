import { describe, expect, test } from 'vitest';
import {
  Gate,
  Harness,
  JSON_BOTH,
  request,
  type Fields,
  type Session,
} from '../../../../test/support/server/harness.js';
import type { EventReader } from '../../../../test/support/server/event-reader.js';
import { until } from '../../../../test/support/http/until.js';
import type { Handler } from '../index.js';
import type { EventStore, StoredEvent } from './event-store.js';
import { MemoryEventStore } from './memory-event-store.js';

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

  test('S71: what happens while nobody listens waits, once', async () => {
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

/** A handler that tells of progress 1, waits, and tells of progress 2. */
function waiting(gate: Gate): Handler {
  return async (r) => {
    r.progress({ progress: 1 });
    await gate.passed;
    r.progress({ progress: 2 });
    return { content: [] };
  };
}

/** Starts a call, reads some events of it and loses the connection. Returns the id of the last event read. */
async function lostCall(session: Session, reads: number): Promise<string> {
  const reader = await session.call({}, { progressToken: 'p' });
  let id = '';
  for (let i = 0; i < reads; i++) id = (await reader.next())?.id ?? '';
  await reader.cancel();
  return id;
}

async function read(reader: EventReader): Promise<unknown[]> {
  return (await reader.rest()).map((message) => message.params?.progress ?? message.result);
}

describe('S72 S74: resuming', () => {
  test('S74: a lost connection cancels nothing, and the rest can be fetched', async () => {
    const gate = new Gate();
    const session = await new Harness({ call: waiting(gate) }).session();
    const id = await lostCall(session, 2);
    const reader = await session.get({ 'last-event-id': id });
    gate.open();
    expect(await read(reader)).toEqual([2, { content: [] }]);
  });

  test('S73: from the priming event on, nothing is missed', async () => {
    const gate = new Gate();
    const session = await new Harness({ call: waiting(gate), streams: { retryMs: 321 } }).session();
    const reader = await session.call({}, { progressToken: 'p' });
    const primed = await reader.next();
    expect(primed).toMatchObject({ data: '' });
    expect(reader.raw).toContain('retry: 321\n');
    await reader.cancel();
    gate.open();
    const again = await session.get({ 'last-event-id': primed?.id ?? '' });
    expect(await read(again)).toEqual([1, 2, { content: [] }]);
  });

  test('S72: the answer of a finished call', async () => {
    const harness = new Harness({ call: waiting(openGate()) });
    const session = await harness.session();
    const id = await lostCall(session, 2);
    expect(await read(await session.get({ 'last-event-id': id }))).toEqual([2, { content: [] }]);
    const all = await session.call({}, { progressToken: 'p' });
    const ids: string[] = [];
    for (let event = await all.next(); event !== undefined; event = await all.next())
      ids.push(event.id ?? '');
    expect(await read(await session.get({ 'last-event-id': ids.at(-1) ?? '' }))).toEqual([]);
    expect(new Set(ids).size).toBe(4);
  });

  test('only the events of that stream', async () => {
    const gate = new Gate();
    const harness = new Harness({ call: waiting(gate) });
    const session = await harness.session();
    const [one, two] = [await lostCall(session, 2), await lostCall(session, 1)];
    harness.notifier.toolsChanged();
    gate.open();
    expect(await read(await session.get({ 'last-event-id': one }))).toEqual([2, { content: [] }]);
    expect(await read(await session.get({ 'last-event-id': two }))).toEqual([1, 2, { content: [] }]);
  });

  test('it does not collide with the standing stream', async () => {
    const gate = new Gate();
    const session = await new Harness({ call: waiting(gate) }).session();
    const standing = await session.get();
    const id = await lostCall(session, 2);
    const reader = await session.get({ 'last-event-id': id });
    expect(reader.status).toBe(200);
    gate.open();
    expect(await read(reader)).toHaveLength(2);
    await standing.cancel();
  });

  test('the newest connection takes over', async () => {
    const gate = new Gate();
    const session = await new Harness({ call: waiting(gate) }).session();
    const first = await session.call({}, { progressToken: 'p' });
    const id = (await first.next())?.id ?? '';
    const second = await session.get({ 'last-event-id': id });
    expect(await read(first)).toEqual([1]);
    gate.open();
    expect(await read(second)).toEqual([1, 2, { content: [] }]);
  });

  test('the standing stream, too', async () => {
    const harness = new Harness();
    const session = await harness.session();
    const first = await session.get();
    await first.next();
    harness.notifier.toolsChanged();
    const heard = await first.next();
    await first.cancel();
    harness.notifier.promptsChanged();
    harness.notifier.resourcesChanged();
    const second = await session.get({ 'last-event-id': heard?.id ?? '' });
    expect((await second.message()).method).toBe('notifications/prompts/list_changed');
    expect((await second.message()).method).toBe('notifications/resources/list_changed');
    harness.notifier.toolsChanged();
    expect((await second.message()).method).toBe(CHANGED);
    expect((await session.get()).status).toBe(409);
    await second.cancel();
  });

  test.each(['2025-06-18', '2025-03-26'])(
    'S73: clients of %s are not primed, but may resume',
    async (revision) => {
      const gate = new Gate();
      const session = await new Harness({ call: waiting(gate) }).session({ revision });
      const reader = await session.call({}, { progressToken: 'p' });
      const first = await reader.next();
      expect(first?.data).not.toBe('');
      await reader.cancel();
      gate.open();
      expect(await read(await session.get({ 'last-event-id': first?.id ?? '' }))).toEqual([
        2,
        { content: [] },
      ]);
    },
  );

  test.each([
    ['garbage', 'x'],
    ['of an unknown stream', 'abcd-1.0'],
    ['of the future', undefined],
    ['with a sign', 'abcd-1.-1'],
  ])('S72 M-11: an event id that is %s', async (_name, id) => {
    const gate = new Gate();
    const session = await new Harness({ call: waiting(gate) }).session();
    const known = await lostCall(session, 1);
    const answer = await session.get({ 'last-event-id': id ?? known.replace(/\d+$/, '99') });
    expect(answer.status).toBe(400);
    gate.open();
  });

  test('M-11: of another session of the same principal', async () => {
    const gate = new Gate();
    const harness = new Harness({ call: waiting(gate) });
    const [one, two] = [await harness.session(), await harness.session()];
    const id = await lostCall(one, 1);
    gate.open();
    expect((await two.get({ 'last-event-id': id })).status).toBe(400);
  });

  test('a stream with a hole is not passed off as whole', async () => {
    const events = new MemoryEventStore({ maxEventsPerSession: 1 });
    const gate = new Gate();
    const session = await new Harness({ call: waiting(gate), events }).session();
    const id = await lostCall(session, 1);
    expect((await session.get({ 'last-event-id': id })).status).toBe(200);
    gate.open();
    expect((await session.get({ 'last-event-id': id })).status).toBe(400);
  });

  test('without an event store streams have no ids and cannot be resumed', async () => {
    const gate = new Gate();
    const harness = new Harness({ call: waiting(gate), events: false });
    const session = await harness.session();
    const reader = await session.call({}, { progressToken: 'p' });
    expect(await reader.next()).toMatchObject({ id: undefined, message: { params: { progress: 1 } } });
    expect((await session.get({ 'last-event-id': 'abcd-1.0' })).status).toBe(400);
    await reader.cancel();
    gate.open();
    await until(() => harness.count('answer_lost') === 1, 'the answer has nowhere to go');
  });

  test('S74: an answer that never had a stream is lost, and counted', async () => {
    const gate = new Gate();
    const harness = new Harness({
      call: async () => {
        await gate.passed;
        return { content: [] };
      },
    });
    const session = await harness.session();
    const abort = new AbortController();
    const message = JSON.stringify(request(1, 'tools/call', { name: 'echo' }));
    const answer = harness.fetch('POST', { ...JSON_BOTH, ...session.headers }, message, abort.signal);
    answer.catch(() => {});
    await session.request('ping');
    abort.abort();
    gate.open();
    await until(() => harness.count('answer_lost') === 1, 'it is counted');
  });

  test.each([
    [3, 200],
    [4, 429],
  ])('M-10: GET stream number %i of three', async (number, status) => {
    const gate = new Gate();
    const harness = new Harness({ limits: { streamsPerSession: 3 }, call: waiting(gate) });
    const session = await harness.session();
    const readers = [await session.get()];
    for (let i = 2; i <= number; i++)
      readers.push(await session.get({ 'last-event-id': await lostCall(session, 1) }));
    expect(readers.at(-1)?.status).toBe(status);
    gate.open();
    await Promise.all(readers.map((reader) => reader.cancel()));
  });
});

describe('S73: polling', () => {
  const streams = { upgradeAfterMs: 10, closeAfterMs: 10, retryMs: 5 };

  test('a slow answer is primed, let go, and fetched', async () => {
    const gate = new Gate();
    const session = await new Harness({
      call: async () => {
        await gate.passed;
        return { content: [] };
      },
      streams,
    }).session();
    const reader = await session.call();
    const primed = await reader.next();
    expect(primed?.data).toBe('');
    expect(await reader.next()).toBeUndefined();
    gate.open();
    expect(await read(await session.get({ 'last-event-id': primed?.id ?? '' }))).toEqual([{ content: [] }]);
  });

  test('the version of the session decides, not that of the header', async () => {
    const gate = new Gate();
    const harness = new Harness({
      call: async () => {
        await gate.passed;
        return { content: [] };
      },
      streams,
    });
    const session = await harness.session();
    const old: Fields = { ...session.headers, 'mcp-protocol-version': '2025-03-26' };
    const reader = await harness.stream(request(1, 'tools/call', { name: 'echo' }), old);
    const primed = await reader.next();
    expect(await reader.next()).toBeUndefined();
    gate.open();
    expect(await read(await harness.get({ ...old, 'last-event-id': primed?.id ?? '' }))).toEqual([
      { content: [] },
    ]);
  });

  test('clients that do not know of polling keep their stream', async () => {
    const gate = new Gate();
    const session = await new Harness({
      call: async () => {
        await gate.passed;
        return { content: [] };
      },
      streams: { ...streams, keepAliveMs: 30 },
    }).session({ revision: '2025-06-18' });
    const reader = await session.call();
    while (!reader.raw.includes('keep-alive')) await reader.more();
    gate.open();
    expect(await read(reader)).toEqual([{ content: [] }]);
  });
});

/** An event store that answers later, like one behind a network. */
class LateStore implements EventStore {
  readonly #memory = new MemoryEventStore();
  onRead: () => void = () => {};
  async append(...args: Parameters<EventStore['append']>): Promise<void> {
    this.#memory.append(...args);
  }
  async read(...args: Parameters<EventStore['read']>): Promise<readonly StoredEvent[] | undefined> {
    const found = this.#memory.read(...args);
    this.onRead();
    await Promise.resolve();
    return found;
  }
  async forget(...args: Parameters<EventStore['forget']>): Promise<void> {
    this.#memory.forget(...args);
  }
}

describe('ports that answer late', () => {
  test('what is said while a store is read is not missed', async () => {
    const events = new LateStore();
    const gate = new Gate();
    const harness = new Harness({ call: waiting(gate), events });
    const session = await harness.session();
    const first = await session.get();
    const primed = await first.next();
    await first.cancel();
    harness.notifier.toolsChanged();
    let reads = 0;
    events.onRead = () => {
      if (reads++ === 0) harness.notifier.promptsChanged();
    };
    const second = await session.get({ 'last-event-id': primed?.id ?? '' });
    expect((await second.message()).method).toBe(CHANGED);
    expect((await second.message()).method).toBe('notifications/prompts/list_changed');
    await second.cancel();
    gate.open();
  });

  test('a store that fails is reported, and breaks nothing else', async () => {
    const fails = () => Promise.reject(new Error('secret'));
    const harness = new Harness({
      call: waiting(openGate()),
      events: { append: fails, read: fails, forget: fails },
    });
    const session = await harness.session();
    const reader = await session.call({}, { progressToken: 'p' });
    expect(await read(reader)).toEqual([1, 2, { content: [] }]);
    const resumed = await session.get({ 'last-event-id': 'abcd-1.0' });
    expect(resumed.status).toBe(500);
    await session.delete();
    expect(harness.count('port_failed')).toBeGreaterThanOrEqual(4);
  });
});

function openGate(): Gate {
  const gate = new Gate();
  gate.open();
  return gate;
}
