import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.js';

function fill(items: string): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const item of items.split(' ')) queue.push(item.charAt(0), item);
  return queue;
}

function drain(queue: FairQueue<string>): string {
  const items: string[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item);
  return items.join(' ');
}

test('lines take turns, each in its order', () => {
  const queue = fill('a1 a2 a3 b1 c1 c2');
  expect(queue.size).toBe(6);
  expect(drain(queue)).toBe('a1 b1 c1 a2 c2 a3');
  expect(queue.size).toBe(0);
});

test('one whose line became empty comes behind the others again', () => {
  const queue = fill('a1 b1 b2');
  expect(queue.shift()).toBe('a1');
  queue.push('a', 'a2');
  expect(drain(queue)).toBe('b1 a2 b2');
});

test('one that gives up leaves its line; what is not there cannot', () => {
  const queue = fill('a1 a2 b1');
  queue.remove('a', 'a1');
  queue.remove('b', 'b1');
  queue.remove('b', 'b1');
  queue.remove('c', 'a2');
  expect(queue.size).toBe(1);
  expect(drain(queue)).toBe('a2');
});

test('all can be taken out at once', () => {
  const queue = fill('a1 b1 a2');
  expect(queue.takeAll()).toEqual(['a1', 'a2', 'b1']);
  expect(queue.size).toBe(0);
  expect(queue.shift()).toBeUndefined();
});

test.each([
  ['a1 a2 a3', 'b', 'a3', 'a1 a2'],
  ['a1 a2 a3 b1', 'b', 'a3', 'a1 b1 a2'],
  ['a1 a2 b1', 'b', undefined, 'a1 b1 a2'],
  ['a1 a2 a3', 'a', undefined, 'a1 a2 a3'],
  ['a1', 'b', undefined, 'a1'],
])('of %s, with one more of %s, %s leaves', (items, principal, leaves, left) => {
  const queue = fill(items);
  expect(queue.canMakeRoomFor(principal)).toBe(leaves !== undefined);
  expect(queue.makeRoomFor(principal)).toBe(leaves);
  expect(queue.size).toBe(left.split(' ').length);
  expect(drain(queue)).toBe(left);
});

test('those at the head of each line can be taken out', () => {
  const queue = fill('a1 a2 b1 b3 c2 c1');
  expect(queue.takeHeads((item) => item.endsWith('1'))).toEqual(['a1', 'b1']);
  expect(queue.takeHeads((item) => item.startsWith('b'))).toEqual(['b3']);
  expect(queue.size).toBe(3);
  expect(drain(queue)).toBe('a2 c2 c1');
});
