import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DueQueue } from './due-queue.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function open(): { queue: DueQueue<string>; due: string[] } {
  const due: string[] = [];
  return { queue: new DueQueue<string>(100, Date.now, (item) => due.push(item)), due };
}

test('each item falls due after its own delay, with one timer for all', () => {
  const { queue, due } = open();
  queue.add('a');
  vi.advanceTimersByTime(60);
  queue.add('b');
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(40);
  expect(due).toEqual(['a']);
  vi.advanceTimersByTime(59);
  expect(due).toEqual(['a']);
  vi.advanceTimersByTime(1);
  expect(due).toEqual(['a', 'b']);
  expect(vi.getTimerCount()).toBe(0);
});

test('what is taken out does not fall due; what is added again waits anew', () => {
  const { queue, due } = open();
  queue.add('a');
  queue.add('b');
  queue.delete('a');
  vi.advanceTimersByTime(90);
  queue.add('b');
  vi.advanceTimersByTime(90);
  expect(due).toEqual([]);
  vi.advanceTimersByTime(10);
  expect(due).toEqual(['b']);
  expect(queue.size).toBe(0);
});

test('an item may be added again when it falls due', () => {
  const times: number[] = [];
  const queue: DueQueue<string> = new DueQueue(100, Date.now, (item) => {
    times.push(Date.now());
    queue.add(item);
  });
  const start = Date.now();
  queue.add('a');
  vi.advanceTimersByTime(350);
  expect(times.map((time) => time - start)).toEqual([100, 200, 300]);
});

test('after clear nothing happens', () => {
  const { queue, due } = open();
  queue.add('a');
  queue.clear();
  vi.advanceTimersByTime(1000);
  expect([due, vi.getTimerCount()]).toEqual([[], 0]);
});
