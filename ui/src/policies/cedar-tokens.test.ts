import { expect, test } from 'vitest';
import { markTokens, offsetOf, readCedarTokens } from './cedar-tokens.js';

const kinds = (text: string) =>
  readCedarTokens(text)
    .filter(({ text: part }) => part.trim() !== '')
    .map(({ kind, text: part }) => `${kind} ${part.trim()}`);

test('words of Cedar are told apart', () => {
  expect(
    kinds('@id("a // b")\npermit(principal == Agent::"c\\"d", action) // when\nwhen { permitted };'),
  ).toEqual([
    'annotation @id',
    'plain (',
    'string "a // b"',
    'plain )',
    'effect permit',
    'plain (',
    'variable principal',
    'plain ==',
    'type Agent',
    'plain ::',
    'string "c\\"d"',
    'plain ,',
    'variable action',
    'plain )',
    'comment // when',
    'word when',
    'plain {',
    'plain permitted',
    'plain };',
  ]);
});

test.each(['', '"open', '@', '/ a', 'é😀 "😀\n', '"a\\', '\r\n\t//', '"\\\n"'])(
  'nothing of %j is lost',
  (text) => {
    expect(
      readCedarTokens(text)
        .map((token) => token.text)
        .join(''),
    ).toBe(text);
  },
);

test('marks cut tokens, and errors win', () => {
  const marks = [
    { start: 2, end: 9, tone: 'warning' },
    { start: 4, end: 8, tone: 'error' },
  ] as const;
  expect(
    markTokens(readCedarTokens('permit(x);'), marks).map(({ text, tone = 'none' }) => `${text} ${tone}`),
  ).toEqual(['pe none', 'rm warning', 'it error', '( error', 'x error', ') warning', '; none']);
});

test('places are found', () => {
  expect(offsetOf('ab\ncd\n', 2, 2)).toBe(4);
  expect(offsetOf('ab\ncd', 9, 1)).toBe(5);
  expect(offsetOf('ab', 1, 99)).toBe(2);
});
