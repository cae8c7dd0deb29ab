import { expect, test } from 'vitest';
import { replaceSection } from './write-document.js';

const text = 'a\n<!-- bench hub -->\n\nold\n\n<!-- end of bench hub -->\nb\n';

test('a report takes the place of the one before', () => {
  const once = replaceSection(text, 'hub', 'new\n');
  expect(once).toBe('a\n<!-- bench hub -->\n\nnew\n\n<!-- end of bench hub -->\nb\n');
  expect(replaceSection(once, 'hub', 'new\n')).toBe(once);
});

test('a document without a place for it is left alone', () => {
  expect(() => replaceSection(text, 'scale', 'new')).toThrow('no place for scale');
});
