import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createMemoryCoordination, createSwitchboard } from '../../src/coordination/index.js';
import { LocalFeed } from '../../src/coordination/local-feed.js';
import { openSharedSessions } from '../../src/edge/shared-sessions/open-shared-sessions.js';
import { SessionLine } from '../../src/edge/shared-sessions/session-line.js';
import { SharedEventStore } from '../../src/edge/shared-sessions/shared-event-store.js';
import { HubError, type Coordination, type Switchboard } from '../../src/kernel/index.js';
import { JsonNumber, type JsonObject } from '../../src/mcp/jsonrpc/index.js';
import type { SessionRecord } from '../../src/mcp/server/index.js';

/** What replicas keep and tell each other of sessions, over one memory and a clock of the test's own. */

let now = 1_000_000;
const clock = { now: () => now, monotonic: () => now };
let coordination: Coordination;
const open: { close(): void }[] = [];

beforeEach(() => {
  coordination = createMemoryCoordination(clock);
});
afterEach(async () => {
  for (const each of open.splice(0)) each.close();
  feeds.clear();
  await coordination.close();
});

/** Tells which place a text was sealed for, and opens it nowhere else. */
const SEAL = {
  seal: (text: string, place: string) => `${place}|${Buffer.from(text).toString('base64')}`,
  open: (sealed: string, place: string) => {
    const [of, text = ''] = sealed.split('|');
    if (of !== place) throw new Error('sealed for another place');
    return Buffer.from(text, 'base64').toString();
  },
};
const PLAIN = { seal: (text: string) => text, open: (text: string) => text };

/** Each name is a process with ears of its own. */
const feeds = new Map<string, LocalFeed>();

function boardOf(self: string): Switchboard {
  const local = new LocalFeed();
  feeds.set(self, local);
  const feed: Omit<Coordination['feed'], 'reach'> = {
    publish: (topic, message) => {
      for (const each of feeds.values()) each.deliver(topic, message);
    },
    send(to, topic, message) {
      queueMicrotask(() => feeds.get(to)?.deliver(topic, message));
      return Promise.resolve(feeds.has(to));
    },
    subscribe: (topic, listener) => local.subscribe(topic, listener),
  };
  const board = createSwitchboard({ self, feed }, PLAIN);
  open.push(board);
  return board;
}

const KEY = { principal: 'anna', session: 's' };

describe('events', () => {
  const events = (more: object = {}, endpoint = 'all') =>
    new SharedEventStore({ store: coordination.store, endpoint, seal: SEAL, ...more });
  const event = (seq: number, text = `text ${seq}`, stream = 'a') => ({ stream, seq, text });

  test('of one stream are read from where a client left off, whoever wrote them', async () => {
    for (const seq of [1, 2, 3]) await events().append(KEY, event(seq));
    await events().append(KEY, event(1, 'other', 'b'));
    expect(await events().read(KEY, 'a', 1)).toEqual([event(2), event(3)]);
    expect(await events().read(KEY, 'b', 0)).toEqual([event(1, 'other', 'b')]);
    expect(await events().read(KEY, 'a', 3)).toEqual([]);
    expect(await events().read(KEY, 'c', 0)).toBeUndefined();
  });

  test('belong to their session, principal and endpoint, however these are called', async () => {
    await events().append({ principal: 'a:1', session: 's' }, event(1));
    for (const key of [
      { principal: 'a', session: '1:s' },
      { principal: 'a:1', session: 't' },
      { principal: 'b', session: 's' },
    ])
      expect(await events().read(key, 'a', 0)).toBeUndefined();
    expect(await events({}, 'other').read({ principal: 'a:1', session: 's' }, 'a', 0)).toBeUndefined();
    expect(await events().read({ principal: 'a:1', session: 's' }, 'a', 0)).toEqual([event(1)]);
  });

  test('are not left in the clear, under a name that tells nobody', async () => {
    const push = vi.spyOn(coordination.store, 'push');
    await events().append(KEY, event(1, 'a secret'));
    const [name, value, bounds] = push.mock.calls[0] ?? [];
    expect(name).toMatch(/^events:all:[\w-]{43}$/);
    expect(SEAL.open(value ?? '', name ?? '')).toBe('["a",1,"a secret"]');
    expect(bounds).toEqual({ ttlMs: 600_000, items: 1_000, bytes: 4_194_304 });
  });

  test('that are too large leave a gap, which is no whole stream', async () => {
    const small = events({ bytes: 200 });
    await small.append(KEY, event(1));
    await small.append(KEY, event(2, 'x'.repeat(500)));
    expect(await small.read(KEY, 'a', 0)).toBeUndefined();
    expect(await small.read(KEY, 'a', 1)).toBeUndefined();
    expect(await small.read(KEY, 'a', 2)).toEqual([]);
    await small.append(KEY, event(3));
    expect(await small.read(KEY, 'a', 2)).toEqual([event(3)]);
  });

  test('that just fit are kept', async () => {
    const { length } = SEAL.seal(JSON.stringify(['a', 1, 'x']), `events:all:${'x'.repeat(43)}`);
    await events({ bytes: length }).append(KEY, event(1, 'x'));
    expect(await events().read(KEY, 'a', 0)).toEqual([event(1, 'x')]);
    await events().forget(KEY);
    await events({ bytes: length - 1 }).append(KEY, event(1, 'x'));
    expect(await events().read(KEY, 'a', 0)).toBeUndefined();
  });

  test('are forgotten with their session, and after ten minutes', async () => {
    await events().append(KEY, event(1));
    await events().forget(KEY);
    expect(await events().read(KEY, 'a', 0)).toBeUndefined();
    await events().append(KEY, event(1));
    now += 600_001;
    expect(await events().read(KEY, 'a', 0)).toBeUndefined();
  });
});

describe('a line between replicas', () => {
  function listenOn(line: SessionLine, answer: JsonObject | undefined) {
    const heard: unknown[] = [];
    line.listen({
      told: (...given) => heard.push(['told', ...given]),
      asked: (...given) => {
        heard.push(['asked', ...given]);
        return Promise.resolve(answer);
      },
      missed: () => heard.push(['missed']),
    });
    open.push(line);
    return heard;
  }

  test('carries words and questions, with who sent them and of which session', async () => {
    const [one, two] = ['aaaaaaaaaaaa', 'bbbbbbbbbbbb'].map((self) => new SessionLine(boardOf(self), 'all'));
    if (one === undefined || two === undefined) throw new Error('no lines');
    const heard = listenOn(two, { n: new JsonNumber('12345678901234567890') as never });
    expect([one.self, two.self]).toEqual(['aaaaaaaaaaaa', 'bbbbbbbbbbbb']);
    one.tell(two.self, KEY, { a: 1 });
    one.tell(undefined, KEY, { b: 2 });
    await vi.waitFor(() => expect(heard).toHaveLength(2));
    expect(heard).toContainEqual(['told', 'aaaaaaaaaaaa', KEY, { a: 1 }]);
    expect(heard).toContainEqual(['told', 'aaaaaaaaaaaa', KEY, { b: 2 }]);
    const answer = await one.ask(two.self, KEY, { c: 3 });
    expect(heard[2]).toEqual(['asked', 'aaaaaaaaaaaa', KEY, { c: 3 }]);
    expect(String((answer?.['n'] as JsonNumber | undefined)?.text)).toBe('12345678901234567890');
  });

  test('that has nothing to say says so, and one that is closed nothing', async () => {
    const [one, two] = ['aaaaaaaaaaaa', 'bbbbbbbbbbbb'].map((self) => new SessionLine(boardOf(self), 'all'));
    if (one === undefined || two === undefined) throw new Error('no lines');
    const heard = listenOn(two, undefined);
    expect(await one.ask(two.self, KEY, {})).toBeUndefined();
    expect(heard).toHaveLength(1);
    two.close();
    two.close();
    one.tell(two.self, KEY, {});
    expect(await one.ask('cccccccccccc', KEY, {})).toBeUndefined();
    expect(heard).toHaveLength(1);
  });

  test('is gone when it stays away, not while its connection is cut', async () => {
    const one = new SessionLine(boardOf('aaaaaaaaaaaa'), 'one');
    boardOf('bbbbbbbbbbbb');
    feeds.delete('cccccccccccc');
    const looks = ['bbbbbbbbbbbb', 'cccccccccccc', 'dddddddddddd'].map((name) => one.isGone(name));
    boardOf('cccccccccccc');
    expect(await Promise.all(looks)).toEqual([false, false, true]);
    const cut = new SessionLine(
      {
        ...boardOf('eeeeeeeeeeee'),
        isGone: () => Promise.reject(new HubError('storage_unavailable', 'away')),
      },
      'one',
    );
    expect(await cut.isGone('dddddddddddd')).toBe(false);
  });

  test('of another endpoint hears nothing, and lost messages are told', async () => {
    const board = boardOf('aaaaaaaaaaaa');
    const listeners: { missed?: () => void }[] = [];
    const spied: Switchboard = {
      ...board,
      self: board.self,
      tell: board.tell.bind(board),
      ask: board.ask.bind(board),
      isGone: board.isGone.bind(board),
      serve: (line, listener) => {
        listeners.push(listener);
        return board.serve(line, listener);
      },
    };
    const heard = listenOn(new SessionLine(spied, 'one'), {});
    new SessionLine(boardOf('bbbbbbbbbbbb'), 'two').tell('aaaaaaaaaaaa', KEY, {});
    listeners[0]?.missed?.();
    expect(heard).toEqual([['missed']]);
  });
});

describe('sessions of an endpoint', () => {
  const openFor = (self: string, name = '/mcp') => {
    const shared = openSharedSessions(
      { store: coordination.store, board: boardOf(self), seal: SEAL, clock },
      name,
    );
    open.push(shared);
    const { sessions, events } = shared.options;
    if (events === false) throw new Error('events are not kept');
    return { sessions, events };
  };

  test('mean nothing to another endpoint', async () => {
    const record: SessionRecord = {
      id: 's',
      principal: 'anna',
      revision: '2025-11-25',
      createdAt: now,
      initialized: true,
      client: { info: undefined, capabilities: {} },
      logLevel: undefined,
    };
    await openFor('aaaaaaaaaaaa').sessions.add(record);
    expect(await openFor('bbbbbbbbbbbb').sessions.find('anna', 's')).toMatchObject({ id: 's' });
    expect(await openFor('cccccccccccc', '/other').sessions.find('anna', 's')).toBeUndefined();
    const event = { stream: 'a', seq: 1, text: 't' };
    await openFor('aaaaaaaaaaaa').events.append(KEY, event);
    expect(await openFor('bbbbbbbbbbbb').events.read(KEY, 'a', 0)).toEqual([event]);
    expect(await openFor('cccccccccccc', '/other').events.read(KEY, 'a', 0)).toBeUndefined();
  });
});
