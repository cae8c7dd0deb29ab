import { expect, test } from 'vitest';
import { interleave, median } from './statistics.js';

test.each([
  [[3], 3],
  [[1, 100, 2], 2],
  [[4, 1, 3, 2], 2.5],
])('the median of %j is %d', (values, expected) => {
  expect(median(values)).toBe(expected);
});

test('nothing has no median', () => {
  expect(() => median([])).toThrow('nothing was measured');
});

test('everybody has a turn in every round, and nobody is always first', () => {
  expect([...interleave(['a', 'b', 'c'], 3)].join('')).toBe('abcbcacab');
  expect([...interleave([], 3)]).toEqual([]);
});
