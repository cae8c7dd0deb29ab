import { expect, test } from 'vitest';
import { isPlainPattern } from './schema-pattern.js';

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
