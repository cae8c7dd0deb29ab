import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { silentLogger } from '../kernel/index.js';
import { Instance } from './instance.js';

const clock = { monotonic: () => performance.now() };

/** A store that takes signs of life, refuses them, or does not answer. */
function scriptedStore() {
  const beats: number[] = [];
  const store = {
    mood: 'takes' as 'takes' | 'refuses' | 'hangs',
    beats,
    beat(): Promise<void> {
      beats.push(performance.now());
      if (store.mood === 'hangs') return new Promise(() => {});
      return store.mood === 'takes' ? Promise.resolve() : Promise.reject(new Error('read-only'));
    },
    living: () => Promise.resolve(new Set<string>()),
    leave: () => Promise.resolve(),
    forget: () => Promise.resolve(),
  };
  return store;
}

async function start() {
  const store = scriptedStore();
  const instance = new Instance({ id: 'a', store, clock, logger: silentLogger });
  await instance.start();
  return { store, instance };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('F23: whether the store hears of this process', () => {
  test.each(['refuses', 'hangs'] as const)(
    'one that %s is noticed although nobody asks for anything',
    async (mood) => {
      const { store, instance } = await start();
      await vi.advanceTimersByTimeAsync(60_000);
      expect(instance.isHeard).toBe(true);
      store.mood = mood;
      await vi.advanceTimersByTimeAsync(12_000);
      // A beat that failed once is no reason to send everybody away.
      expect(instance.isHeard).toBe(true);
      await vi.advanceTimersByTimeAsync(25_000);
      expect(instance.isHeard).toBe(false);
      await instance.stop();
    },
  );

  test('as soon as it takes something again, all is well', async () => {
    const { store, instance } = await start();
    store.mood = 'refuses';
    await vi.advanceTimersByTimeAsync(60_000);
    expect(instance.isHeard).toBe(false);
    store.mood = 'takes';
    await vi.advanceTimersByTimeAsync(1_100);
    expect(instance.isHeard).toBe(true);
    const before = store.beats.length;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(store.beats.length - before).toBe(3);
    await instance.stop();
  });

  test('one that ended says nothing more', async () => {
    const { store, instance } = await start();
    await instance.stop();
    await instance.stop();
    const before = store.beats.length;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(store.beats).toHaveLength(before);
  });
});
