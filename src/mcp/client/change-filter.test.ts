import { expect, test } from 'vitest';
import { wants } from './change-filter.js';

test.each([
  ['note://1', 'note://1', true],
  ['note://1', 'note://1/first', true],
  ['note://1', 'note://1#top', true],
  ['note://1', 'note://1?line=2', true],
  ['note://', 'note://1', true],
  ['note://1', 'note://10', false],
  ['note://1', 'note://1.bak', false],
  ['note://1/first', 'note://1', false],
])('who watches %s hears of %s: %s', (asked, uri, expected) => {
  const change = { method: 'notifications/resources/updated', params: { uri } } as const;
  expect(wants({ resourceSubscriptions: [asked] }, change)).toBe(expected);
});
