import { expect, test } from 'vitest';
import { LinkedList } from './linked-list.js';

test('items leave from anywhere and the others stay in order', () => {
  const list = new LinkedList<string>();
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((item) => list.add(item));
  const seen: (readonly string[])[] = [[...list]];
  for (const place of [b, a, d]) {
    if (place !== undefined) list.remove(place);
    seen.push([...list]);
  }
  list.add('e');
  seen.push([...list]);
  if (c !== undefined) list.remove(c);
  expect(list.first).toBe('e');
  expect(seen).toEqual([['a', 'b', 'c', 'd'], ['a', 'c', 'd'], ['c', 'd'], ['c'], ['c', 'e']]);
  list.clear();
  expect([list.first, ...list]).toEqual([undefined]);
});

test('the item at hand may be removed', () => {
  const list = new LinkedList<number>();
  const places = [1, 2, 3].map((item) => list.add(item));
  const seen: number[] = [];
  for (const item of list) {
    seen.push(item);
    const place = places[item - 1];
    if (place !== undefined) list.remove(place);
  }
  expect([seen, list.first]).toEqual([[1, 2, 3], undefined]);
});
