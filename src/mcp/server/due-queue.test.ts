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

test('S19: one that is added again does not make those wait that fall due before it', () => {
  const times: string[] = [];
  const start = Date.now();
  const queue: DueQueue<string> = new DueQueue(100, Date.now, (item) => {
    times.push(`${item}${Date.now() - start}`);
    queue.add(item);
  });
  queue.add('a');
  vi.advanceTimersByTime(10);
  queue.add('b');
  vi.advanceTimersByTime(120);
  queue.add('c');
  vi.advanceTimersByTime(200);
  expect(times).toEqual(['a100', 'b110', 'a200', 'b210', 'c230', 'a300', 'b310', 'c330']);
  expect(vi.getTimerCount()).toBe(1);
});

test('a failure while one is due does not stop the others', () => {
  const due: string[] = [];
  const queue: DueQueue<string> = new DueQueue(100, Date.now, (item) => {
    due.push(item);
    if (item === 'a') throw new Error('a');
  });
  queue.add('a');
  queue.add('b');
  expect(() => vi.advanceTimersByTime(100)).toThrow('a');
  vi.advanceTimersByTime(1);
  expect(due).toEqual(['a', 'b']);
});

test('clearing while one is due, and adding another, leaves one timer', () => {
  const due: string[] = [];
  const queue: DueQueue<string> = new DueQueue(100, Date.now, (item) => {
    due.push(item);
    if (item !== 'a') return;
    queue.clear();
    queue.add('c');
  });
  queue.add('a');
  queue.add('b');
  vi.advanceTimersByTime(100);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(100);
  expect(due).toEqual(['a', 'c']);
});

test('after clear nothing happens', () => {
  const { queue, due } = open();
  queue.add('a');
  queue.clear();
  vi.advanceTimersByTime(1000);
  expect([due, vi.getTimerCount()]).toEqual([[], 0]);
});
