import { expect, test } from 'vitest';
import { interleave, median, quantile } from './statistics.js';

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

test.each([
  [0, 1],
  [0.5, 3],
  [0.99, 4],
  [1, 5],
])('below the quantile %d lie as many', (share, expected) => {
  expect(quantile([4, 1, 5, 3, 2], share)).toBe(expected);
  expect(quantile([], share)).toBe(0);
});

test('everybody has a turn in every round, and nobody is always first', () => {
  expect([...interleave(['a', 'b', 'c'], 3)].join('')).toBe('abcbcacab');
  expect([...interleave([], 3)]).toEqual([]);
});
