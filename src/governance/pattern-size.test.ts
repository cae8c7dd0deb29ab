import { expect, test } from 'vitest';
import { patternSize } from './pattern-size.js';

test.each([
  ['', 0],
  ['abc', 3],
  ['a{3}', 3],
  ['a{2,5}b', 6],
  ['a{2,}', 2],
  ['(ab){3}', 12],
  ['((a{10}){10}){10}', 1_220],
  ['[a-z]{8}', 40],
  ['[]a]x', 5],
  [String.raw`\{{3}`, 3],
  [String.raw`[\p{L}]`, 107],
  ['a{', 1],
  ['((a', 1],
  ['a))', 5],
  ['[a', 2],
])('M-33: %s has %i parts', (pattern, parts) => {
  expect(patternSize(pattern)).toBe(parts);
});

test('M-33: counts that follow each other do not multiply', () => {
  const uuid = '^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$';
  expect(patternSize(uuid)).toBeLessThan(400);
});
