import { expect, test } from 'vitest';
import type { Clock, Ticket, TicketStore } from '../../src/kernel/index.js';
import { HOSTILE_IDS, HOSTILE_TEXTS } from './examples.js';

const START = 1_000_000;

class SetClock implements Clock {
  at = START;
  now(): number {
    return this.at;
  }
  monotonic(): number {
    return this.at;
  }
}

function ticket(name = 'n', changes: Partial<Ticket> = {}): Ticket {
  return { kind: 'browser', name, value: '{"a":1}', expiresAt: START + 1_000, ...changes };
}

export function ticketStoreContract(open: (clock: Clock) => Promise<TicketStore>): void {
  async function opened(): Promise<{ readonly store: TicketStore; readonly clock: SetClock }> {
    const clock = new SetClock();
    return { store: await open(clock), clock };
  }

  test('a ticket is found by its kind and name, until its end', async () => {
    const { store, clock } = await opened();
    const whole = ticket('n', { group: 'g', usedAt: 5 });
    await store.put(whole);
    await store.put(ticket('other'));
    expect(await store.find('browser', 'n')).toStrictEqual(whole);
    expect(await store.find('browser', 'other')).toStrictEqual(ticket('other'));
    expect(await store.find('link', 'n')).toBeUndefined();
    expect(await store.find('browser', 'N')).toBeUndefined();
    clock.at += 999;
    expect(await store.find('browser', 'n')).toBeDefined();
    clock.at += 1;
    expect(await store.find('browser', 'n')).toBeUndefined();
    expect(await store.take('browser', 'n')).toBeUndefined();
    expect(await store.use('browser', 'other')).toBe(false);
  });

  test('B5.1: any name and any value come back, in any kind and group', async () => {
    const { store } = await opened();
    for (const name of HOSTILE_TEXTS.filter((text) => !/\p{Surrogate}/u.test(text)))
      for (const kind of HOSTILE_IDS) {
        const one = ticket(name, { kind, group: kind, value: JSON.stringify(HOSTILE_TEXTS) });
        await store.put(one);
        expect(await store.find(kind, name)).toStrictEqual(one);
      }
  });

  test('putting replaces, and a used one is as new', async () => {
    const { store } = await opened();
    await store.put(ticket('n', { group: 'g' }));
    expect(await store.use('browser', 'n')).toBe(true);
    await store.put(ticket('n', { value: '2' }));
    expect(await store.find('browser', 'n')).toStrictEqual(ticket('n', { value: '2' }));
    expect(await store.count('browser')).toBe(1);
    expect(await store.use('browser', 'n')).toBe(true);
  });

  test('of twenty that take it one gets it, and then it is gone', async () => {
    const { store } = await opened();
    await store.put(ticket());
    const taken = await Promise.all(Array.from({ length: 20 }, () => store.take('browser', 'n')));
    expect(taken.filter((found) => found !== undefined)).toStrictEqual([ticket()]);
    expect(await store.find('browser', 'n')).toBeUndefined();
    expect(await store.count('browser')).toBe(0);
  });

  test('of twenty that add it one succeeds, and nobody after it as long as it is there', async () => {
    const { store, clock } = await opened();
    const add = (value: string): Promise<boolean> => store.add(ticket('n', { value }));
    const added = await Promise.all(Array.from({ length: 20 }, (_, index) => add(String(index))));
    expect(added.filter(Boolean)).toHaveLength(1);
    expect(await store.find('browser', 'n')).toMatchObject({ value: String(added.indexOf(true)) });
    expect(await store.add(ticket('n', { kind: 'link' }))).toBe(true);
    clock.at += 5_000;
    expect(await add('late')).toBe(false);
    await store.sweep();
    expect(await add('again')).toBe(true);
  });

  test('of twenty that use it one succeeds, and it stays known as used', async () => {
    const { store } = await opened();
    await store.put(ticket());
    const used = await Promise.all(Array.from({ length: 20 }, () => store.use('browser', 'n')));
    expect(used.filter(Boolean)).toHaveLength(1);
    expect(await store.find('browser', 'n')).toStrictEqual(ticket('n', { usedAt: START }));
    expect(await store.use('browser', 'n')).toBe(false);
    expect(await store.use('browser', 'none')).toBe(false);
  });

  test('all of a kind are told one by one, without their names, however many', async () => {
    const { store, clock } = await opened();
    const kept = async (): Promise<object[]> => {
      const found: object[] = [];
      for await (const each of store.each('browser')) found.push(each);
      return found;
    };
    const { name: _, ...nameless } = ticket('a', { group: 'g', usedAt: 1 });
    await store.put(ticket('a', { group: 'g', usedAt: 1 }));
    await store.put(ticket('c', { kind: 'link' }));
    expect(await kept()).toStrictEqual([nameless]);
    const values = Array.from({ length: 1_003 }, (_each, index) => `v${index}`);
    for (const value of values) await store.put(ticket(value, { value, expiresAt: START + 2_000 }));
    clock.at += 1_000;
    expect(new Set((await kept()).map((each) => (each as { value: string }).value))).toEqual(new Set(values));
  });

  test('tickets go one by one, by their group, or after their end', async () => {
    const { store, clock } = await opened();
    await store.put(ticket('a', { group: 'g' }));
    await store.put(ticket('b', { group: 'g', kind: 'link' }));
    await store.put(ticket('c', { group: 'h' }));
    await store.put(ticket('d'));
    await store.put(ticket('late', { expiresAt: START + 5_000 }));
    expect(await store.count('browser', 'g')).toBe(1);
    expect(await store.count('link', 'g')).toBe(1);
    expect(await store.count('link', 'h')).toBe(0);
    await store.removeGroup('g');
    await store.removeGroup('g');
    expect(await store.count('link')).toBe(0);
    expect(await store.count('browser')).toBe(3);
    await store.remove('browser', 'c');
    await store.remove('browser', 'c');
    clock.at += 1_000;
    expect(await store.count('browser')).toBe(2);
    expect(await store.sweep()).toBe(1);
    expect(await store.sweep()).toBe(0);
    expect(await store.find('browser', 'late')).toBeDefined();
  });
}
