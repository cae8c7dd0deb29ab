import { expect, test } from 'vitest';
import { AttemptWindow } from './attempt-window.js';

test('the limit is the last that is let through, and time lets through again one by one', () => {
  const window = new AttemptWindow({ limit: 3, windowMs: 100 });
  expect([0, 10, 20, 30].map((now) => window.note('a', now))).toEqual([true, true, true, false]);
  expect(window.blockedFor('a', 30)).toBe(70);
  expect(window.blockedFor('a', 99)).toBe(1);
  expect(window.blockedFor('a', 100)).toBe(0);
  expect(window.note('a', 100)).toBe(true);
  expect(window.blockedFor('a', 100)).toBe(10);
});

test('sources are counted apart', () => {
  const window = new AttemptWindow({ limit: 1, windowMs: 100 });
  window.note('a', 0);
  expect(window.blockedFor('a', 1)).toBe(99);
  expect(window.blockedFor('b', 1)).toBe(0);
});

test('attempts that were refused do not make the wait longer', () => {
  const window = new AttemptWindow({ limit: 2, windowMs: 100 });
  for (const now of [0, 1, 50, 60, 99]) window.note('a', now);
  expect(window.blockedFor('a', 100)).toBe(0);
});

test('a flood of sources does not fill the memory, and the newest are remembered', () => {
  const window = new AttemptWindow({ limit: 1, windowMs: 1_000_000 });
  for (let source = 0; source < 20_000; source++) window.note(`s${source}`, source);
  expect(window.blockedFor('s0', 20_000)).toBe(0);
  expect(window.blockedFor('s19999', 20_000)).toBeGreaterThan(0);
});

test('ten thousand sources are remembered; then the one that was quiet longest gives way', () => {
  const window = new AttemptWindow({ limit: 1, windowMs: 1_000_000 });
  for (let source = 0; source < 10_000; source++) window.note(`s${source}`, source);
  expect(window.blockedFor('s0', 10_000)).toBeGreaterThan(0);
  window.note('another', 10_000);
  expect(window.blockedFor('s0', 10_000)).toBe(0);
  expect(window.blockedFor('s1', 10_000)).toBeGreaterThan(0);
});
