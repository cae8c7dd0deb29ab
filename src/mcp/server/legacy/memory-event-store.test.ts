import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventRun } from './event-run.js';
import { MemoryEventStore, type MemoryEventOptions } from './memory-event-store.js';

const KEY = { principal: 'p', session: 's' };
const OTHER = { principal: 'p', session: 't' };

function fill(store: MemoryEventStore, count: number, stream = 'a', key = KEY, text = 'x'): void {
  for (let seq = 1; seq <= count; seq++) store.append(key, { stream, seq, text });
}
function seqs(store: MemoryEventStore, stream = 'a', after = 0, key = KEY): number[] | undefined {
  return store.read(key, stream, after)?.map((event) => event.seq);
}

test('gives the later events of one stream of one session', () => {
  const store = new MemoryEventStore();
  fill(store, 3, 'a');
  fill(store, 2, 'b');
  fill(store, 1, 'a', OTHER);
  expect([
    seqs(store),
    seqs(store, 'a', 1),
    seqs(store, 'a', 3),
    seqs(store, 'b'),
    seqs(store, 'a', 0, OTHER),
  ]).toEqual([[1, 2, 3], [2, 3], [], [1, 2], [1]]);
  expect([
    seqs(store, 'c'),
    seqs(store, 'b', 0, OTHER),
    store.read({ principal: 'q', session: 's' }, 'a', 0),
  ]).toEqual([undefined, undefined, undefined]);
});

test('principal and session cannot be shifted into each other', () => {
  const store = new MemoryEventStore();
  fill(store, 1, 'a', { principal: 'p:s', session: 't' });
  expect(store.read({ principal: 'p', session: 's:t' }, 'a', 0)).toBeUndefined();
});

test.each<[string, MemoryEventOptions, number[]]>([
  ['count', { maxEventsPerSession: 3 }, [3, 4, 5]],
  ['bytes of a session', { maxBytesPerSession: 2 * 202 }, [4, 5]],
  ['bytes in total', { maxBytes: 202 }, [5]],
])('bounded by %s: the oldest go first', (_name, options, kept) => {
  const store = new MemoryEventStore(options);
  fill(store, 5);
  expect(seqs(store)).toEqual(kept);
});

test('bounded by age', () => {
  let now = 0;
  const store = new MemoryEventStore({ maxAgeMs: 10, clock: () => now });
  fill(store, 1);
  now = 9;
  expect(seqs(store)).toEqual([1]);
  now = 10;
  expect([seqs(store), store.bytes]).toEqual([undefined, 0]);
});

test('the total bound takes from whoever is oldest', () => {
  const store = new MemoryEventStore({ maxBytes: 3 * 202 });
  fill(store, 2, 'a', OTHER);
  fill(store, 2, 'a', KEY);
  expect([seqs(store, 'a', 0, OTHER), seqs(store)]).toEqual([[2], [1, 2]]);
});

test('an event too large to keep takes its stream with it, and nothing else', () => {
  const store = new MemoryEventStore({ maxBytesPerSession: 2000 });
  fill(store, 2, 'a');
  fill(store, 1, 'b');
  store.append(KEY, { stream: 'a', seq: 3, text: 'x'.repeat(2000) });
  expect([seqs(store, 'a'), seqs(store, 'b')]).toEqual([undefined, [1]]);
});

test('events that were said at once are dropped one by one like others, and come back in order', () => {
  let now = 0;
  const store = new MemoryEventStore({ maxEventsPerSession: 4, maxAgeMs: 10, clock: () => now });
  store.appendRun(KEY, new EventRun('a', 1, ['a1', 'a2']));
  store.append(KEY, { stream: 'b', seq: 1, text: 'b1' });
  store.appendRun(KEY, new EventRun('a', 3, ['a3', 'a4']));
  expect(store.read(KEY, 'a', 0)?.map(({ text }) => text)).toEqual(['a2', 'a3', 'a4']);
  now = 5;
  store.append(KEY, { stream: 'a', seq: 5, text: 'a5' });
  expect([seqs(store), seqs(store, 'b')]).toEqual([[3, 4, 5], [1]]);
  now = 10;
  expect([seqs(store), seqs(store, 'b'), store.bytes]).toEqual([[5], undefined, 204]);
});

test('what is forgotten is gone, and the books are even', () => {
  const store = new MemoryEventStore();
  fill(store, 3);
  fill(store, 1, 'a', OTHER);
  store.forget(KEY);
  store.forget(KEY);
  expect([seqs(store), seqs(store, 'a', 0, OTHER), store.bytes]).toEqual([undefined, [1], 202]);
  store.close();
  expect(store.bytes).toBe(0);
});

test('however events are kept, what comes back is what a plain list would hold', () => {
  const step = fc.record({
    stream: fc.constantFrom('a', 'b'),
    key: fc.constantFrom(KEY, OTHER),
    length: fc.constantFrom(1, 1, 1, 1, 40, 300),
    count: fc.constantFrom(1, 1, 2, 5),
    passed: fc.constantFrom(0, 2),
  });
  const bounds = { maxEventsPerSession: 12, maxBytesPerSession: 4_000, maxBytes: 6_000 };
  fc.assert(
    fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
      let now = 0;
      const store = new MemoryEventStore({ ...bounds, clock: () => now });
      let plain: { key: typeof KEY; stream: string; seq: number; text: string }[] = [];
      const seqOf = new Map<string, number>();
      const bytesOf = (events: typeof plain): number =>
        events.reduce((sum, { text }) => sum + text.length * 2 + 200, 0);
      for (const { stream, key, length, count, passed } of steps) {
        now += passed;
        const name = `${key.session} ${stream}`;
        const first = (seqOf.get(name) ?? 0) + 1;
        seqOf.set(name, first + count - 1);
        const texts = Array.from({ length: count }, (_, i) => String(first + i).padStart(length, '.'));
        if (count > 1) store.appendRun(key, new EventRun(stream, first, texts));
        else store.append(key, { stream, seq: first, text: texts[0] ?? '' });
        texts.forEach((text, i) => plain.push({ key, stream, seq: first + i, text }));
        const own = (): typeof plain => plain.filter((event) => event.key === key);
        while (own().length > 12 || bytesOf(own()) > 4_000)
          plain = plain.filter((event) => event !== own()[0]);
        while (bytesOf(plain) > 6_000) plain.shift();
      }
      expect(store.bytes).toBe(bytesOf(plain));
      for (const key of [KEY, OTHER]) {
        for (const stream of ['a', 'b']) {
          const kept = plain.filter((event) => event.key === key && event.stream === stream);
          const read = store.read(key, stream, 0)?.map(({ seq, text }) => ({ seq, text }));
          expect(read ?? []).toEqual(kept.map(({ seq, text }) => ({ seq, text })));
        }
      }
    }),
    { numRuns: 200 },
  );
});
