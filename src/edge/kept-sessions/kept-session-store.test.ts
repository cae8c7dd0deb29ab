import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createMemoryTickets } from '../../../test/support/memory-tickets.js';
import type { TicketStore } from '../../kernel/index.js';
import { StoreUnavailable, type SessionRecord } from '../../mcp/server/index.js';
import { KeptSessionStore } from './kept-session-store.js';

/** Sessions of processes that come one after another, over one store and a clock of the test's own. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
let now = 0;
const clock = { now: () => now, monotonic: () => now };
let tickets: TicketStore;
let failures: unknown[];
const opened: KeptSessionStore[] = [];

function open(more: Partial<ConstructorParameters<typeof KeptSessionStore>[0]> = {}): KeptSessionStore {
  const store = new KeptSessionStore({
    tickets,
    clock,
    endpoint: 'all',
    groupOf: (principal) => `of ${principal}`,
    onFailure: (error) => failures.push(error),
    ...more,
  });
  opened.push(store);
  return store;
}

const recordOf = (id: string, principal = 'anna'): SessionRecord => ({
  id,
  principal,
  revision: '2025-11-25',
  client: { info: { name: 'c', version: '1' }, capabilities: { roots: {} } },
  createdAt: now,
  initialized: false,
  logLevel: undefined,
});

async function pass(ms: number): Promise<void> {
  now += ms;
  await vi.advanceTimersByTimeAsync(ms);
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  now = 1_700_000_000_000;
  tickets = createMemoryTickets(clock);
  failures = [];
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  vi.useRealTimers();
});

describe('a session', () => {
  test('is found by the next process as it was last, also where this one was killed', async () => {
    const killed = open();
    const record = recordOf('s');
    expect(killed.add(record)).toBe(true);
    killed.update({ ...record, initialized: true, logLevel: 'error', subscriptions: ['a:b'] });
    await pass(200);
    const next = open();
    const found = await next.find('anna', 's');
    expect(found).toEqual({ ...record, initialized: true, logLevel: 'error', subscriptions: ['a:b'] });
    // From then on nobody is asked.
    expect(next.find('anna', 's')).toBe(found);
  });

  test('is written down at once when its process ends in good order', async () => {
    const first = open();
    first.add(recordOf('s'));
    await first.close();
    await first.close();
    expect(await open().find('anna', 's')).toMatchObject({ id: 's', principal: 'anna' });
  });

  test('is nobody else’s, and of no other endpoint', async () => {
    const first = open();
    first.add(recordOf('s'));
    await first.close();
    expect(await open().find('bert', 's')).toBeUndefined();
    expect(await open({ endpoint: 'other' }).find('anna', 's')).toBeUndefined();
    expect(await open().find('anna', 'S')).toBeUndefined();
  });

  test('is not found again when it was ended, whether that is written down yet or not', async () => {
    const first = open();
    first.add(recordOf('s'));
    await pass(200);
    first.remove('anna', 's');
    expect(await first.find('anna', 's')).toBeUndefined();
    await pass(200);
    expect(await open().find('anna', 's')).toBeUndefined();
    expect(await tickets.count('session:all')).toBe(0);
  });

  test('is not brought back by a change that comes after its end', async () => {
    const first = open();
    const record = recordOf('s');
    first.add(record);
    first.remove('anna', 's');
    first.update({ ...record, subscriptions: ['a:b'] });
    await pass(200);
    expect(await first.find('anna', 's')).toBeUndefined();
    expect(await open().find('anna', 's')).toBeUndefined();
    expect(await tickets.count('session:all')).toBe(0);
  });

  test('is not brought back by a look that began before its end', async () => {
    const first = open();
    first.add(recordOf('s'));
    await first.close();
    const next = open();
    const looking = next.find('anna', 's');
    next.remove('anna', 's');
    expect(await looking).toBeUndefined();
    expect(await next.find('anna', 's')).toBeUndefined();
  });

  test('is one for two requests that come for it at the same time', async () => {
    const first = open();
    first.add(recordOf('s'));
    await first.close();
    const next = open({ bounds: { perPrincipal: 1 } });
    const [one, two] = await Promise.all([next.find('anna', 's'), next.find('anna', 's')]);
    expect(one).toBeDefined();
    expect(two).toBe(one);
  });
});

describe('the age of a session', () => {
  test('unused for half an hour it is over, in memory and in the store', async () => {
    const expired: string[] = [];
    const first = open();
    first.onExpired((_, id) => expired.push(id));
    first.add(recordOf('s'));
    await pass(30 * MINUTE);
    expect(await first.find('anna', 's')).toBeUndefined();
    expect(expired).toEqual(['s']);
    await pass(200);
    expect(await tickets.count('session:all')).toBe(0);
  });

  test('in use it stays known for as long as it would have lasted', async () => {
    const killed = open();
    killed.add(recordOf('s'));
    for (let minutes = 0; minutes < 60; minutes += 10) {
      await pass(10 * MINUTE);
      await killed.find('anna', 's');
    }
    await pass(5 * MINUTE);
    now += 24 * MINUTE;
    expect(await open().find('anna', 's')).toBeDefined();
    now += 12 * MINUTE;
    expect(await open().find('anna', 's')).toBeUndefined();
  });

  test('a restart gives it no second day', async () => {
    const beganAt = now;
    let store = open();
    store.add(recordOf('s'));
    for (; now - beganAt < 24 * HOUR - 25 * MINUTE; now += 25 * MINUTE) {
      expect(await store.find('anna', 's'), `after ${(now - beganAt) / MINUTE} minutes`).toBeDefined();
      await store.close();
      store = open();
    }
    expect(await store.find('anna', 's')).toBeDefined();
    now = beganAt + 24 * HOUR;
    expect(await store.find('anna', 's')).toBeUndefined();
  });

  test('a clock that was set back makes it no older', async () => {
    const first = open();
    first.add(recordOf('s'));
    await first.close();
    now -= HOUR;
    expect(await open().find('anna', 's')).toBeDefined();
  });
});

describe('bounds and failures', () => {
  test('what was kept counts among the sessions of its principal', async () => {
    const first = open({ bounds: { perPrincipal: 2 } });
    for (const id of ['a', 'b']) expect(first.add(recordOf(id))).toBe(true);
    expect(first.add(recordOf('c'))).toBe(false);
    await first.close();
    expect(await open().find('anna', 'c')).toBeUndefined();
    const next = open({ bounds: { perPrincipal: 2 } });
    expect(next.add(recordOf('d'))).toBe(true);
    expect(await next.find('anna', 'a')).toBeDefined();
    expect(await next.find('anna', 'b')).toBeUndefined();
    expect(next.add(recordOf('e'))).toBe(false);
    await next.close();
    // It had no room here, and is still known.
    expect(await open().find('anna', 'b')).toBeDefined();
  });

  test('a store that cannot be asked is no proof that there is no session', async () => {
    const store = open({ tickets: { ...tickets, find: () => Promise.reject(new Error('away')) } });
    store.add(recordOf('here'));
    expect(store.find('anna', 'here')).toBeDefined();
    await expect(store.find('anna', 's')).rejects.toThrow(StoreUnavailable);
  });

  test('what could not be written is told once a try, and written later', async () => {
    let isAway = true;
    const put: TicketStore['put'] = (ticket) =>
      isAway ? Promise.reject(new Error('away')) : tickets.put(ticket);
    const store = open({ tickets: { ...tickets, put } });
    store.add(recordOf('a'));
    store.add(recordOf('b'));
    await pass(200);
    expect(failures).toHaveLength(1);
    await pass(4_900);
    expect(failures).toHaveLength(1);
    isAway = false;
    await pass(100);
    expect(await tickets.count('session:all')).toBe(2);
    expect(failures).toHaveLength(1);
  });

  test('what changes while it is written is written again', async () => {
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const put: TicketStore['put'] = async (ticket) => {
      await held;
      await tickets.put(ticket);
    };
    const store = open({ tickets: { ...tickets, put } });
    const record = recordOf('s');
    store.add(record);
    await pass(200);
    store.update({ ...record, logLevel: 'debug' });
    release();
    await pass(400);
    expect(await open().find('anna', 's')).toMatchObject({ logLevel: 'debug' });
  });

  test('what is written down is left alone until it changes', async () => {
    let writes = 0;
    const put: TicketStore['put'] = (ticket) => {
      writes++;
      return tickets.put(ticket);
    };
    const store = open({ tickets: { ...tickets, put } });
    store.add(recordOf('s'));
    await pass(MINUTE);
    expect(writes).toBe(1);
    store.update({ ...recordOf('s'), initialized: true });
    await pass(MINUTE);
    expect(writes).toBe(2);
  });

  test('a store that was closed writes nothing more', async () => {
    const store = open();
    store.add(recordOf('s'));
    await store.close();
    const resting = vi.getTimerCount();
    store.update({ ...recordOf('s'), logLevel: 'debug' });
    expect(vi.getTimerCount()).toBe(resting);
    await store.close();
    expect((await open().find('anna', 's'))?.logLevel).toBeUndefined();
  });

  test('it ends with whoever has it', async () => {
    const first = open();
    first.add(recordOf('s'));
    await first.close();
    await tickets.removeGroup('of anna');
    expect(await open().find('anna', 's')).toBeUndefined();
  });
});
