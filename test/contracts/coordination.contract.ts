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
    const held = await required(one.locks.acquire('a', { leaseMs: 150, waitMs: 0 }));
    expect(await two.locks.acquire('a', { leaseMs: 150, waitMs: 600 })).toBeUndefined();
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
}
