import { expect, test } from 'vitest';
import { toPlainLine, toPlainText } from './plain-text.js';

test.each([
  ['plain', 'plain'],
  ['two\nlines\tof', 'two\nlines\tof'],
  ['a\u202Eb', 'a\\u{202e}b'],
  ['a\u0007\u001b[31m', 'a\\u{7}\\u{1b}[31m'],
  ['zero\u200Bwidth', 'zero\\u{200b}width'],
  ['tag\u{E0041}', 'tag\\u{e0041}'],
  ['<b>&amp;', '<b>&amp;'],
  ['日本語 😀 ü', '日本語 😀 ü'],
])('%j is shown as %j', (text, shown) => {
  expect(toPlainText(text)).toBe(shown);
});

test('what is too long is cut, and a line is one line', () => {
  expect(toPlainText('x'.repeat(50), 10)).toBe(`${'x'.repeat(10)}…`);
  expect(toPlainLine('  a \n b\u2028c ')).toBe('a b c');
});
