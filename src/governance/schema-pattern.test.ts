import { expect, test } from 'vitest';
import { CheckBudget, CheckTooLong } from './check-budget.js';
import { isPlainPattern, linearPatterns } from './schema-pattern.js';

test.each([
  ['^[a-z]+$', true],
  ['^[A-Za-z0-9+/]*={0,2}$', true],
  ['^[0-9a-f]{8}-[0-9a-f]{4}$', true],
  [String.raw`\S`, true],
  [String.raw`^\d{4}-\d{2}$`, true],
  ['', true],
  // Each of two could take what the other took, from every place or from one.
  ['^a+a+$', false],
  ['[a-z]+x', false],
  ['^(a+)+$', false],
  ['^a{0,500}a$', false],
  ['a|b', false],
  [String.raw`^\p{L}+$`, false],
  [String.raw`^(a)\1$`, false],
  ['^a'.repeat(101), false],
])('M-33: %s can be left to RegExp: %s', (pattern, expected) => {
  expect(isPlainPattern(pattern)).toBe(expected);
});

test.each([
  ['digits behind a bracket', `{${'0'.repeat(200_000)}`],
  ['brackets with digits', '{0'.repeat(100_000)],
  ['counts without an end', '{1,'.repeat(60_000)],
  ['a count of many digits', `a{${'0'.repeat(200_000)}1}`],
  ['many counts', 'a{1,2}'.repeat(30_000)],
])('M-33: a pattern of %s is judged in no time', (_what, pattern) => {
  const start = performance.now();
  try {
    linearPatterns(new CheckBudget())(pattern).test('a');
  } catch (error) {
    expect(error).toBeInstanceOf(CheckTooLong);
  }
  expect(performance.now() - start).toBeLessThan(500);
});

test.each([
  [String.raw`\p{L}`.repeat(70), false],
  [String.raw`\p{L}`.repeat(80), true],
  ['ab'.repeat(3_999), false],
  ['ab'.repeat(4_001), true],
  ['(?:[0-9]{100}){10}', false],
  ['(?:[0-9]{100}){20}', true],
  ['^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$', false],
])('M-33: %.20s… is too large to be checked: %s', (pattern, isLeftAlone) => {
  const { test: matches } = linearPatterns(new CheckBudget())(pattern);
  expect(matches('?')).toBe(isLeftAlone);
});

test('M-33: a value that meets too many large patterns at once is refused', () => {
  const patterns = linearPatterns(new CheckBudget());
  const meet = (count: number) =>
    Array.from({ length: count }, (_, i) => patterns(`${i}${'ab'.repeat(3_990)}`).test('?'));
  expect(meet(2)).toEqual([false, false]);
  expect(() => meet(3)).toThrow(CheckTooLong);
});
