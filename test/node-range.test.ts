import { describe, expect, test } from 'vitest';
import { allowsVersion } from './node-range.js';

describe('20.19.0', () => {
  test.each([
    '',
    '*',
    'x',
    '>=20',
    '>= 20',
    '>=20.19',
    '>=20.19.0',
    '>18',
    '>=18.0.0 <21',
    '^20',
    '^20.0.0',
    '^20.19.0',
    '~20.19',
    '20',
    '20.x',
    '20.19.x',
    '20.19.0',
    'v20.19.0',
    '=20.19.0',
    '^18 || ^20 || >=22',
    '^20.19.0 || >=22.12.0',
    '18 - 20',
    '>=0.10',
    '<=20',
    '<21',
    '>20.18',
    '>=16, <=22',
    '>=14.0.0 || ^13.2.0',
    '>=20.0.0-rc.1',
  ])('is allowed by "%s"', (range) => {
    expect(allowsVersion(range, '20.19.0')).toBe(true);
  });

  test.each([
    '>=22',
    '>= 22',
    '^22.12.0',
    '>=20.19.1',
    '^20.20',
    '~20.18',
    '20.18.x',
    '<20',
    '<=20.18',
    '>20',
    '>20.19',
    '>20.19.0',
    '18',
    '18 - 19',
    '^18 || >=22',
    '^22.18.0 || >=24.11.0',
    '20.19.1',
    '>=20 <20.19',
  ])('is refused by "%s"', (range) => {
    expect(allowsVersion(range, '20.19.0')).toBe(false);
  });
});

test.each([
  ['^0.2.3', '0.2.9', true],
  ['^0.2.3', '0.3.0', false],
  ['^0.0.3', '0.0.3', true],
  ['^0.0.3', '0.0.4', false],
  ['^0', '0.9.9', true],
  ['^0.0', '0.0.9', true],
  ['^0.0', '0.1.0', false],
  ['~1', '1.9.0', true],
  ['~1', '2.0.0', false],
])('%s and %s: %s', (range, version, expected) => {
  expect(allowsVersion(range, version)).toBe(expected);
});

test('what is no range is refused, not guessed', () => {
  expect(() => allowsVersion('latest', '20.19.0')).toThrow('not a range');
  expect(() => allowsVersion('>=20', '20')).toThrow('not a version');
});
