import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createMemoryCoordination, createSwitchboard } from '../../src/coordination/index.js';
import { SharedSessionStore } from '../../src/edge/shared-sessions/shared-session-store.js';
import type { Coordination } from '../../src/kernel/index.js';
import { StoreUnavailable, type SessionRecord } from '../../src/mcp/server/index.js';

/** What replicas remember of sessions, over one memory and a clock of the test's own. */

const PLAIN = { seal: (text: string) => text, open: (text: string) => text };
const IDLE_MS = 30 * 60_000;
let now = 1_000_000;
const clock = { now: () => now, monotonic: () => now };
let coordination: Coordination;
const open: { close(): void }[] = [];
/** What each store does when messages may have been lost. */
const missed: (() => void)[] = [];

beforeEach(() => {
  coordination = createMemoryCoordination(clock);
  missed.length = 0;
});
afterEach(async () => {
  for (const each of open.splice(0)) each.close();
  await coordination.close();
});

/** Names of their own make them two processes on one feed. */
function openStore(self: string, bounds: object = {}): SharedSessionStore {
  const { feed } = coordination;
  const board = createSwitchboard({ self, feed }, PLAIN);
  const serve = board.serve.bind(board);
  board.serve = (line, listener) => {
    missed.push(() => listener.missed?.());
    return serve(line, listener);
  };
  const store = new SharedSessionStore({
    store: coordination.store,
    board,
    endpoint: 'all',
    clock,
    ...bounds,
  });
  open.push(store, board);
  return store;
}

function session(id: string, principal = 'anna', more: Partial<SessionRecord> = {}): SessionRecord {
  const client = { info: undefined, capabilities: {} };
  const usual = { client, createdAt: now, initialized: true, logLevel: undefined };
  return { id, principal, revision: '2025-11-25', ...usual, ...more };
}

test('what one added the other finds, for its principal only, and then without asking', async () => {
  const [one, two] = [openStore('aaaaaaaaaaaa'), openStore('bbbbbbbbbbbb')];
  expect(await one.add(session('s'))).toBe(true);
  expect(await two.find('eve', 's')).toBeUndefined();
  expect(await two.find('anna', 's')).toMatchObject({ id: 's', principal: 'anna', initialized: true });
  expect(two.find('anna', 's')).not.toBeInstanceOf(Promise);
  now += 61_000;
  expect(two.find('anna', 's')).toBeInstanceOf(Promise);
});

test('before the handshake is complete nobody relies on what it remembers', async () => {
  const [one, two] = [openStore('aaaaaaaaaaaa'), openStore('bbbbbbbbbbbb')];
  const record = session('s', 'anna', { initialized: false });
  await one.add(record);
  await two.find('anna', 's');
  await two.update({ ...record, initialized: true }, { initialized: true });
  expect(await one.find('anna', 's')).toMatchObject({ initialized: true });
});

test('changes of two replicas are both kept, and both are told', async () => {
  const [one, two] = [openStore('aaaaaaaaaaaa'), openStore('bbbbbbbbbbbb')];
  const record = session('s');
  await one.add(record);
  await two.find('anna', 's');
  const heard: SessionRecord[] = [];
  two.onChanged((changed) => heard.push(changed));
  await one.update({ ...record, home: 'x' }, { home: 'x' });
  await vi.waitFor(() => expect(heard.at(-1)).toMatchObject({ home: 'x' }));
  await two.update({ ...record, logLevel: 'info' }, { logLevel: 'info' });
  expect(heard.at(-1)).toMatchObject({ home: 'x', logLevel: 'info' });
});

test('one that ended is not brought back by a replica that remembers it', async () => {
  const [one, two] = [openStore('aaaaaaaaaaaa'), openStore('bbbbbbbbbbbb')];
  await one.add(session('s'));
  await two.find('anna', 's');
  const ended: unknown[] = [];
  two.onExpired((principal, id, reason) => ended.push([principal, id, reason]));
  await one.remove('anna', 's');
  await vi.waitFor(() => expect(ended).toEqual([['anna', 's', 'deleted']]));
  expect(await two.find('anna', 's')).toBeUndefined();
  await two.update(session('s'), { logLevel: 'info' });
  expect(await one.find('anna', 's')).toBeUndefined();
});

test('a store that lost everything is given back what is remembered', async () => {
  const [one, two] = [openStore('aaaaaaaaaaaa'), openStore('bbbbbbbbbbbb')];
  await one.add(session('s'));
  const forget = vi.spyOn(coordination.store, 'get').mockResolvedValueOnce(undefined);
  now += 61_000;
  const lost = await one.find('anna', 's');
  expect(lost).toMatchObject({ id: 's' });
  forget.mockRestore();
  expect(await two.find('anna', 's')).toMatchObject({ id: 's' });
});

test('B1.9: there are as many as a principal may have, at all replicas together', async () => {
  const [one, two] = [
    openStore('aaaaaaaaaaaa', { perPrincipal: 2 }),
    openStore('bbbbbbbbbbbb', { perPrincipal: 2 }),
  ];
  expect(await one.add(session('a'))).toBe(true);
  expect(await two.add(session('b'))).toBe(true);
  expect(await one.add(session('c'))).toBe(false);
  expect(await two.add(session('d', 'bert'))).toBe(true);
  await one.remove('anna', 'b');
  expect(await two.add(session('c'))).toBe(true);
});

test('one that nobody uses ends after half an hour, any after a day', async () => {
  const one = openStore('aaaaaaaaaaaa');
  await one.add(session('idle'));
  await one.add(session('busy'));
  for (let passed = 0; passed < IDLE_MS + 180_000; passed += 61_000) {
    now += 61_000;
    expect(await one.find('anna', 'busy')).toBeDefined();
  }
  expect(await one.find('anna', 'idle')).toBeUndefined();
  await one.add(session('old', 'anna', { createdAt: now - 24 * 3_600_000 - 1 }));
  now += 61_000;
  expect(await one.find('anna', 'old')).toBeUndefined();
});

describe('a store in trouble', () => {
  const failing = () => vi.spyOn(coordination.store, 'get').mockRejectedValue(new Error('away'));

  test('a session in use is served on; one that is not known here has to wait', async () => {
    const [one, two] = [openStore('aaaaaaaaaaaa'), openStore('bbbbbbbbbbbb')];
    await one.add(session('s'));
    const get = failing();
    now += 61_000;
    expect(await one.find('anna', 's')).toMatchObject({ id: 's' });
    await expect(two.find('anna', 's')).rejects.toBeInstanceOf(StoreUnavailable);
    expect(get).toHaveBeenCalledTimes(2);
    // It is left alone for a second, and asked again then.
    get.mockRestore();
    await expect(two.find('anna', 's')).rejects.toBeInstanceOf(StoreUnavailable);
    now += 999;
    await expect(two.find('anna', 's')).rejects.toBeInstanceOf(StoreUnavailable);
    now += 1;
    expect(await two.find('anna', 's')).toMatchObject({ id: 's' });
  });

  test('a session that nobody used for long is not served without it', async () => {
    const one = openStore('aaaaaaaaaaaa');
    await one.add(session('s'));
    failing();
    now += IDLE_MS;
    await expect(one.find('anna', 's')).rejects.toBeInstanceOf(StoreUnavailable);
  });

  test('nothing is added, changed or ended in secret', async () => {
    const one = openStore('aaaaaaaaaaaa');
    for (const method of ['join', 'get', 'set'] as const)
      vi.spyOn(coordination.store, method).mockRejectedValue(new Error('away'));
    await expect(one.add(session('s'))).rejects.toBeInstanceOf(StoreUnavailable);
    now += 1_000;
    await expect(one.update(session('s'))).rejects.toBeInstanceOf(StoreUnavailable);
    now += 1_000;
    await expect(one.remove('anna', 's')).rejects.toBeInstanceOf(StoreUnavailable);
  });
});

test('there are as many as all together may have, and who was refused takes no place', async () => {
  const one = openStore('aaaaaaaaaaaa', { total: 2, perPrincipal: 2 });
  expect(await one.add(session('a'))).toBe(true);
  expect(await one.add(session('b', 'bert'))).toBe(true);
  for (const id of ['c', 'd', 'e']) expect(await one.add(session(id))).toBe(false);
  await one.remove('bert', 'b');
  expect(await one.add(session('c'))).toBe(true);
});

test('a session that is used keeps its place among those of its principal', async () => {
  const one = openStore('aaaaaaaaaaaa', { perPrincipal: 1 });
  await one.add(session('a'));
  for (let n = 0; n < 40; n++) {
    now += 61_000;
    await one.find('anna', 'a');
  }
  expect(await one.add(session('b'))).toBe(false);
  now += IDLE_MS + 120_001;
  expect(await one.add(session('b'))).toBe(true);
});

test('what was asked at the same time is asked once', async () => {
  const [one, two] = [openStore('aaaaaaaaaaaa'), openStore('bbbbbbbbbbbb')];
  await one.add(session('s'));
  const get = vi.spyOn(coordination.store, 'get');
  const found = await Promise.all([two.find('anna', 's'), two.find('anna', 's'), two.find('anna', 's')]);
  expect(found.map((record) => record?.id)).toEqual(['s', 's', 's']);
  expect(get).toHaveBeenCalledTimes(1);
});

/** The next look into the store is answered when it is let through, with what was there when it was asked. */
function slowLook() {
  const get = coordination.store.get.bind(coordination.store);
  let pass = (): void => {};
  const gate = new Promise<void>((resolve) => (pass = resolve));
  vi.spyOn(coordination.store, 'get').mockImplementationOnce(async (...asked) => {
    const found = await get(...asked);
    return gate.then(() => found);
  });
  return pass;
}

test('one that ended or changed while it was looked up is not remembered as it was, at whichever replica', async () => {
  for (const at of [0, 1]) {
    const [one, two] = [openStore(`aaaaaaaaaaa${at}`), openStore(`bbbbbbbbbbb${at}`)];
    for (const id of [`ended-${at}`, `changed-${at}`]) {
      const record = session(id);
      await one.add(record);
      const pass = slowLook();
      const found = two.find('anna', id);
      const by = [one, two][at];
      await (id.startsWith('e') ? by?.remove('anna', id) : by?.update(record, { logLevel: 'debug' }));
      await Promise.resolve();
      pass();
      const wanted = id.startsWith('e') ? undefined : 'debug';
      const levels = [await found, await two.find('anna', id)].map((each) => each?.logLevel);
      expect(levels).toEqual([wanted, wanted]);
      expect((await found) === undefined).toBe(wanted === undefined);
    }
  }
});

test('one that ended while it was looked up is not answered with, where the look fails', async () => {
  const [one, two] = [openStore('aaaaaaaaaaaa'), openStore('bbbbbbbbbbbb')];
  await one.add(session('s'));
  await two.find('anna', 's');
  now += 61_000;
  const looked = vi.spyOn(coordination.store, 'get').mockImplementationOnce(async () => {
    await one.remove('anna', 's');
    throw new Error('away');
  });
  await expect(two.find('anna', 's')).rejects.toBeInstanceOf(StoreUnavailable);
  expect(looked).toHaveBeenCalledTimes(1);
});

test('a store that lost everything is given back what nobody asks for, as soon as it can be reached', async () => {
  const [one, two] = [openStore('aaaaaaaaaaaa'), openStore('bbbbbbbbbbbb')];
  for (const id of ['r', 's', 't']) await one.add(session(id));
  await one.remove('anna', 't');
  const { store, close } = createMemoryCoordination(clock);
  const failing = vi.spyOn(coordination.store, 'get').mockRejectedValue(new Error('away'));
  vi.spyOn(coordination.store, 'add').mockImplementation((...given) => store.add(...given));
  missed[0]?.();
  await vi.waitFor(() => expect(failing).toHaveBeenCalled());
  failing.mockImplementation((...given) => store.get(...given));
  await vi.waitFor(async () => {
    now += 1_000;
    for (const id of ['r', 's']) expect((await two.find('anna', id))?.id).toBe(id);
  }, 10_000);
  expect(await two.find('anna', 't')).toBeUndefined();
  await close();
});

test('after messages were lost, everything remembered is asked about again', async () => {
  const one = openStore('aaaaaaaaaaaa');
  await one.add(session('s'));
  expect(one.find('anna', 's')).not.toBeInstanceOf(Promise);
  for (const listener of missed) listener();
  expect(one.find('anna', 's')).toBeInstanceOf(Promise);
});

test('one that expired here is told of, with why', async () => {
  const one = openStore('aaaaaaaaaaaa', { absoluteMs: 100_000 });
  const ended: unknown[] = [];
  one.onExpired((...given) => ended.push(given));
  await one.add(session('s'));
  now += 99_999;
  expect(await one.find('anna', 's')).toBeDefined();
  now += 60_000;
  expect(await one.find('anna', 's')).toBeUndefined();
  expect(ended).toEqual([['anna', 's', 'expired']]);
  expect(await one.find('anna', 'unknown')).toBeUndefined();
  expect(ended).toHaveLength(1);
});

test('a process lets go of what nobody used here, and others may go on', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const [one, two] = [openStore('aaaaaaaaaaaa'), openStore('bbbbbbbbbbbb')];
    const ended: unknown[] = [];
    one.onExpired((...given) => ended.push(given));
    await one.add(session('s'));
    await two.find('anna', 's');
    now += IDLE_MS - 1;
    vi.advanceTimersByTime(30_000);
    expect(ended).toEqual([]);
    await two.find('anna', 's');
    now += 1;
    vi.advanceTimersByTime(30_000);
    expect(ended).toEqual([['anna', 's', 'closed']]);
    expect(await one.find('anna', 's')).toMatchObject({ id: 's' });
    one.close();
    now += IDLE_MS;
    vi.advanceTimersByTime(30_000);
    expect(ended).toHaveLength(1);
  } finally {
    vi.useRealTimers();
  }
});

test('a change that others made in between is tried again, not lost and not for ever', async () => {
  const one = openStore('aaaaaaaaaaaa');
  await one.add(session('s'));
  const replace = vi.spyOn(coordination.store, 'replace');
  replace.mockResolvedValueOnce(false);
  await one.update(session('s'), { logLevel: 'info' });
  expect(replace).toHaveBeenCalledTimes(2);
  expect(one.find('anna', 's')).toMatchObject({ logLevel: 'info' });
  replace.mockReset();
  replace.mockResolvedValue(false);
  await one.update(session('s'), { logLevel: 'error' });
  expect(replace).toHaveBeenCalledTimes(5);
  expect(one.find('anna', 's')).toMatchObject({ logLevel: 'info' });
});

test('a change of one that the store forgot puts it back', async () => {
  const [one, two] = [openStore('aaaaaaaaaaaa'), openStore('bbbbbbbbbbbb')];
  const changed: SessionRecord[] = [];
  one.onChanged((record) => changed.push(record));
  await one.update(session('s', 'anna', { logLevel: 'info' }), { logLevel: 'info' });
  expect(changed).toHaveLength(1);
  expect(await two.find('anna', 's')).toMatchObject({ logLevel: 'info', initialized: true });
});

test('names that look alike are told apart, and no name is in the store', async () => {
  const one = openStore('aaaaaaaaaaaa');
  const set = vi.spyOn(coordination.store, 'set');
  await one.add(session('x:s', 'a'));
  expect(await one.find('a:x', 's')).toBeUndefined();
  expect(set.mock.calls[0]?.[0]).toMatch(/^session:all:[\w-]{43}$/);
  expect(set.mock.calls[0]?.[1]).not.toMatch(/"(?:principal|id)"/);
});
