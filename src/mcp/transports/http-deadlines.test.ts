import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Deadlines, type Deadlined } from './http-deadlines.js';

class Waiting implements Deadlined {
  slot = -1;
  readonly id: number | undefined;
  readonly seen: (number | string)[] = [];
  constructor(id?: number) {
    this.id = id;
  }
  expire(now: number): void {
    this.seen.push(now);
  }
  cancel(message: string): void {
    this.seen.push(message);
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('one timer serves all that wait, and stops when nobody does', () => {
  const deadlines = new Deadlines(1000);
  const [first, second] = [new Waiting(), new Waiting()];
  deadlines.add(first);
  deadlines.add(second);
  deadlines.add(second);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(100);
  expect([first.seen.length, second.seen.length]).toEqual([1, 1]);
  deadlines.delete(first);
  deadlines.delete(first);
  vi.advanceTimersByTime(100);
  expect([first.seen.length, second.seen.length]).toEqual([1, 2]);
  deadlines.delete(second);
  vi.advanceTimersByTime(100);
  expect(vi.getTimerCount()).toBe(0);
  deadlines.add(first);
  vi.advanceTimersByTime(100);
  expect(first.seen).toHaveLength(2);
});

test('whoever leaves in the middle of a round takes nobody along and is not called', () => {
  const deadlines = new Deadlines(1000);
  const all = [1, 2, 3, 4, 5].map((id) => new Waiting(id));
  const [, second, third, , fifth] = all;
  for (const entry of all) deadlines.add(entry);
  const leave = (entry: Waiting | undefined): void => {
    if (entry !== undefined) deadlines.delete(entry);
  };
  vi.spyOn(second!, 'expire').mockImplementation(() => {
    leave(second);
    leave(fifth);
  });
  vi.advanceTimersByTime(100);
  expect(all.map((entry) => entry.seen.length)).toEqual([1, 0, 1, 1, 0]);
  vi.advanceTimersByTime(100);
  expect(all.map((entry) => entry.seen.length)).toEqual([2, 0, 2, 2, 0]);
  deadlines.cancel(3, 'enough');
  deadlines.cancel(2, 'gone already');
  expect(third?.seen.at(-1)).toBe('enough');
  deadlines.cancelAll('all');
  expect(all.filter((entry) => entry.seen.includes('all')).map((entry) => entry.id)).toEqual([1, 3, 4]);
});
