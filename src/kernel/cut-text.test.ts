import { expect, test } from 'vitest';
import { cutText } from './cut-text.js';

test.each<readonly [string, number, string]>([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc'],
  ['ab\u{1F600}', 4, 'ab\u{1F600}'],
  ['ab\u{1F600}', 3, 'ab'],
  ['ab\u{1F600}c', 4, 'ab\u{1F600}'],
  ['', 0, ''],
])('of %j at most %i are %j', (text, most, expected) => expect(cutText(text, most)).toBe(expected));
