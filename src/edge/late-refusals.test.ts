import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LateRefusals } from './late-refusals.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function setUp() {
  let now = 0;
  let refused = 0;
  const late = new LateRefusals(() => now);
  return {
    late,
    push(calls: number, bytes = 100) {
      for (let n = 0; n < calls; n++) late.push({ refuse: () => refused++, bytes });
    },
    pass(ms: number) {
      for (let n = 0; n < ms; n++) {
        now++;
        vi.advanceTimersByTime(1);
      }
    },
    /** Nothing is done meanwhile. */
    stall(ms: number) {
      now += ms;
      vi.advanceTimersToNextTimer();
    },
    refused: () => refused,
  };
}

test('a call is refused after a moment, and not too many at a time', () => {
  const { push, pass, refused } = setUp();
  push(100);
  pass(13);
  expect(refused()).toBe(0);
  pass(2);
  expect(refused()).toBe(25);
  pass(5);
  expect(refused()).toBe(50);
  pass(10);
  expect([refused(), vi.getTimerCount()]).toEqual([100, 0]);
});

test('after a long turn of the event loop as many are refused as the time allows', () => {
  const { push, stall, pass, refused } = setUp();
  push(1_000);
  stall(50);
  expect(refused()).toBe(250);
  pass(5);
  expect(refused()).toBe(275);
});

test('too many, or too large, are refused at once', () => {
  const { push, refused } = setUp();
  push(4096);
  expect(refused()).toBe(0);
  push(1);
  expect(refused()).toBe(1);
  push(1, 20_000);
  expect(refused()).toBe(2);
});

test('at the end all are told, once', () => {
  const { late, push, pass, refused } = setUp();
  push(3);
  late.close();
  late.close();
  pass(100);
  expect(refused()).toBe(3);
});
