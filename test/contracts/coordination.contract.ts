import { expect, test, vi } from 'vitest';
import { HubError, type Coordination, type Lock } from '../../src/kernel/index.js';

const LEASE = { leaseMs: 5_000, waitMs: 5_000 };

/** `open` gives each time another process's view of the same thing; of a memory there is only one. */
export function coordinationContract(open: () => Promise<Coordination>): void {
  async function required(lock: Promise<Lock | undefined>): Promise<Lock> {
    const held = await lock;
    if (held === undefined) throw new Error('the lock was not free');
    return held;
  }

  test('it can be used until it is closed, twice', async () => {
    const coordination = await open();
    await coordination.check();
    await coordination.close();
    await coordination.close();
    await expect(coordination.check()).rejects.toBeInstanceOf(HubError);
    await expect(coordination.locks.acquire('a', LEASE)).rejects.toMatchObject({ code: 'shutting_down' });
    coordination.feed.publish('t', 'late');
  });

  test('a lock is held by one at a time, other names are free', async () => {
    const [one, two] = [await open(), await open()];
    const held = await required(one.locks.acquire('a', LEASE));
    expect(await one.locks.acquire('a', { ...LEASE, waitMs: 0 })).toBeUndefined();
    expect(await two.locks.acquire('a', { ...LEASE, waitMs: 30 })).toBeUndefined();
    await (await required(two.locks.acquire('b', { ...LEASE, waitMs: 0 }))).release();
    await held.release();
    await held.release();
    await (await required(two.locks.acquire('a', { ...LEASE, waitMs: 0 }))).release();
  });

  test('whoever waits gets it when it is free, and a late second release takes nothing away', async () => {
    const [one, two] = [await open(), await open()];
    const held = await required(one.locks.acquire('a', LEASE));
    const waiting = required(two.locks.acquire('a', LEASE));
    await held.release();
    const second = await waiting;
    await held.release();
    expect(await one.locks.acquire('a', { ...LEASE, waitMs: 30 })).toBeUndefined();
    expect(held.lost.aborted).toBe(false);
    expect(second.lost.aborted).toBe(false);
    await second.release();
  });

  test('of forty that want it at once each gets it, never two together', async () => {
    const processes = [await open(), await open(), await open(), await open()];
    let inside = 0;
    let most = 0;
    let turns = 0;
    await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const lock = await required(
          processes[index % 4]!.locks.acquire('busy', { leaseMs: 5_000, waitMs: 30_000 }),
        );
        most = Math.max(most, ++inside);
        await new Promise((resolve) => setImmediate(resolve));
        turns++;
        inside--;
        await lock.release();
      }),
    );
    expect({ most, turns }).toEqual({ most: 1, turns: 40 });
  });

  test('waiting ends with the signal, and whoever gave up gets no turn', async () => {
    const [one, two] = [await open(), await open()];
    const held = await required(one.locks.acquire('a', LEASE));
    for (const place of [one, two]) {
      const giveUp = new AbortController();
      const waiting = place.locks.acquire('a', { ...LEASE, signal: giveUp.signal });
      setImmediate(() => giveUp.abort());
      await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
      await expect(place.locks.acquire('a', { ...LEASE, signal: giveUp.signal })).rejects.toMatchObject({
        code: 'cancelled',
      });
    }
    await held.release();
    await (await required(two.locks.acquire('a', LEASE))).release();
  });

  test('closing lets go of what is held and tells its holder and those who wait', async () => {
    const [one, two] = [await open(), await open()];
    const held = await required(one.locks.acquire('a', LEASE));
    const waiting = one.locks.acquire('a', LEASE);
    const [ended] = await Promise.allSettled([waiting, one.close()]);
    expect(ended).toMatchObject({ status: 'rejected', reason: { code: 'shutting_down' } });
    expect(held.lost.aborted).toBe(true);
    await held.release();
    if (two.kind !== 'memory') await (await required(two.locks.acquire('a', LEASE))).release();
  });

  test('a living holder keeps it beyond its lease', async () => {
    const [one, two] = [await open(), await open()];
    const held = await required(one.locks.acquire('a', { leaseMs: 600, waitMs: 0 }));
    expect(await two.locks.acquire('a', { leaseMs: 600, waitMs: 1_500 })).toBeUndefined();
    expect(held.lost.aborted).toBe(false);
    await held.release();
  });

  test('everybody hears a message of their topic, the publisher too, until they stop', async () => {
    const [one, two] = [await open(), await open()];
    const heard: string[] = [];
    const stop = one.feed.subscribe('t', (message) => heard.push(`one ${message}`));
    two.feed.subscribe('t', () => {
      throw new Error('a listener that fails');
    });
    two.feed.subscribe('t', (message) => heard.push(`two ${message}`));
    two.feed.subscribe('other', (message) => heard.push(`other ${message}`));
    const text = 'Ünïcödé "\n\0 {}';
    one.feed.publish('t', text);
    expect(heard).toEqual([]);
    await vi.waitFor(() => expect([...heard].sort()).toEqual([`one ${text}`, `two ${text}`]));
    stop();
    stop();
    two.feed.publish('t', '');
    two.feed.publish('other', 'last');
    await vi.waitFor(() => expect(heard).toContain('other last'));
    expect(heard.slice(2)).toEqual(['two ', 'other last']);
  });

  test('how many processes a message was handed to is known', async () => {
    const [one, two, three] = [await open(), await open(), await open()];
    const heard: string[] = [];
    two.feed.subscribe('t', (message) => heard.push(message ?? ''));
    expect(await one.feed.reach('t', 'x')).toBe(one.kind === 'memory' ? 1 : 3);
    await vi.waitFor(() => expect(heard).toEqual(['x']));
    await three.close();
    if (one.kind !== 'memory')
      await vi.waitFor(async () => expect(await one.feed.reach('other', 'x')).toBe(2));
    await one.close();
    expect(await one.feed.reach('t', 'late')).toBe(0);
  });

  test('after closing nobody hears anything', async () => {
    const [one, two] = [await open(), await open()];
    let heard = 0;
    one.feed.subscribe('t', () => heard++);
    await one.close();
    two.feed.publish('t', 'x');
    one.feed.publish('t', 'x');
    const probe = new Promise((resolve) => two.feed.subscribe('probe', resolve));
    two.feed.publish('probe', 'x');
    if (two.kind !== 'memory') await probe;
    expect(heard).toBe(0);
  });

  test('a message to one process is heard there only, and whoever is gone cannot be reached', async () => {
    const [one, two, three] = [await open(), await open(), await open()];
    const heard: string[] = [];
    for (const [name, place] of Object.entries({ two, three }))
      place.feed.subscribe('t', (message) => heard.push(`${name} ${message}`));
    expect(two.self).toMatch(/^[a-z0-9]{12}$/);
    expect(await one.feed.send(two.self, 't', 'you')).toBe(true);
    expect(await one.feed.send('000000000000', 't', 'nobody')).toBe(false);
    await vi.waitFor(() => expect(heard).toContain('two you'));
    if (two.kind !== 'memory') expect(heard).toEqual(['two you']);
    await two.close();
    if (two.kind !== 'memory')
      await vi.waitFor(async () => expect(await one.feed.send(two.self, 't', 'late')).toBe(false));
  });

  test('a value is there for all until it is removed or its time is over', async () => {
    const [{ store: one }, { store: two }] = [await open(), await open()];
    const text = 'Ünïcödé "\n\0';
    await one.set('a', text, 60_000);
    expect(await two.get('a')).toBe(text);
    expect(await two.add('a', 'other', 60_000)).toBe(false);
    expect(await two.add('b', 'first', 60_000)).toBe(true);
    expect(await one.get('b')).toBe('first');
    expect(await one.replace('b', 'other', 'second', 60_000)).toBe(false);
    expect(await one.replace('b', 'first', 'second', 60_000)).toBe(true);
    expect(await two.replace('none', '', 'x', 60_000)).toBe(false);
    expect(await two.get('b')).toBe('second');
    await one.delete('a');
    await one.delete('a');
    expect(await two.get('a')).toBeUndefined();
    await one.set('short', 'x', 60);
    await one.set('kept', 'x', 60);
    expect(await two.get('kept', 60_000)).toBe('x');
    await vi.waitFor(async () => expect(await two.get('short')).toBeUndefined());
    expect(await two.get('kept')).toBe('x');
    expect(await two.add('short', 'again', 60_000)).toBe(true);
  });

  test('a list forgets its oldest, by number and by size, and ends', async () => {
    const [{ store: one }, { store: two }] = [await open(), await open()];
    const wide = { ttlMs: 60_000, items: 3, bytes: 1_000 };
    for (const text of ['a', 'b', 'c', 'd']) await one.push('l', text, wide);
    expect(await two.list('l')).toEqual(['b', 'c', 'd']);
    await two.push('l', 'é', { ...wide, bytes: 4 });
    expect(await one.list('l')).toEqual(['c', 'd', 'é']);
    await one.push('l', 'xxx', { ...wide, bytes: 4 });
    expect(await two.list('l')).toEqual(['xxx']);
    await two.push('l', 'far too long', { ...wide, bytes: 4 });
    expect(await two.list('l')).toEqual([]);
    await two.push('l', 'x', { ...wide, ttlMs: 50 });
    await vi.waitFor(async () => expect(await one.list('l')).toEqual([]));
    await two.push('l', 'y', wide);
    await one.delete('l');
    expect(await two.list('l')).toEqual([]);
    expect(await two.list('other')).toEqual([]);
  });

  test('a group dismisses the member whose time is over first, where little enough of it is left', async () => {
    const [{ store: one }, { store: two }] = [await open(), await open()];
    const bounds = { ttlMs: 60_000, most: 3 };
    await one.join('d', 'b', bounds);
    await two.join('d', 'c', { ...bounds, ttlMs: 90_000 });
    await one.join('d', 'a', { ...bounds, ttlMs: 30_000 });
    expect(await two.dismiss('d', 10_000)).toBeUndefined();
    expect(await two.dismiss('d', 30_000)).toBe('a');
    expect(await one.dismiss('d', 30_000)).toBeUndefined();
    expect(await one.dismiss('d', 100_000)).toBe('b');
    expect(await two.dismiss('d', 100_000)).toBe('c');
    expect(await two.dismiss('d', 100_000)).toBeUndefined();
    expect(await one.join('d', 'new', bounds)).toBe(true);
  });

  test('a group has no more members than it may, until one leaves or its time is over', async () => {
    const [{ store: one }, { store: two }] = [await open(), await open()];
    const bounds = { ttlMs: 60_000, most: 2 };
    const wanted = ['a', 'b', 'c', 'd', 'e', 'f'].map((name, index) =>
      (index % 2 === 0 ? one : two).join('g', name, bounds),
    );
    expect((await Promise.all(wanted)).filter(Boolean)).toHaveLength(2);
    await one.leave('g', 'a');
    await one.leave('g', 'a');
    await one.leave('g', 'b');
    await one.join('g', 'a', { ttlMs: 50, most: 2 });
    expect(await two.join('g', 'x', { ...bounds, most: Infinity })).toBe(true);
    expect(await two.join('g', 'x', bounds)).toBe(true);
    await vi.waitFor(async () => expect(await two.join('g', 'y', { ...bounds, most: 3 })).toBe(true));
  });

  test('tokens are given out once, fill up again, and never exceed what is saved up', async () => {
    const [{ store: one }, { store: two }] = [await open(), await open()];
    const wish = { perSecond: 1, burst: 10, atMost: 4 };
    const grants = await Promise.all([one, two, one, two].map((store) => store.takeTokens('k', wish)));
    expect(grants.reduce((sum, { granted }) => sum + granted, 0)).toBe(10);
    const refused = grants.find(({ granted }) => granted === 0);
    expect(refused?.waitMs).toBeGreaterThan(0);
    expect(refused?.waitMs).toBeLessThanOrEqual(1_000);
    const quick = { perSecond: 100, burst: 2, atMost: 50 };
    expect(await one.takeTokens('q', quick)).toEqual({ granted: 2, waitMs: 0 });
    await vi.waitFor(async () => expect((await two.takeTokens('q', quick)).granted).toBeGreaterThan(0));
  });
}
