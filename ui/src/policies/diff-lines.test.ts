import { expect, test } from 'vitest';
import { diffLines } from './diff-lines.js';

const SIGNS = { same: ' ', added: '+', removed: '-' };
const shown = (before: string, after: string) =>
  diffLines(before, after).map(({ kind, text }) => SIGNS[kind] + text);

test('says what came and what went', () => {
  expect(shown('a\nb\nc\nd', 'a\nx\nc\ny\nd\n')).toEqual([' a', '-b', '+x', ' c', '+y', ' d']);
  expect(shown('', 'a')).toEqual(['+a']);
  expect(shown('a\n', '')).toEqual(['-a']);
  expect(shown('a', 'a')).toEqual([' a']);
  expect(shown('a\na\nb', 'a\nb')).toEqual([' a', '-a', ' b']);
});

test('large texts stay quick', () => {
  const many = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word} ${index}`).join('\n');
  expect(diffLines(many('a'), many('b'))).toHaveLength(40_000);
});
