import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchesAny } from './tool-pattern.js';

const check = (pattern: string, name: string): boolean => matchesAny([pattern], name);

describe('tool patterns', () => {
  test.each([
    ['linear__*', 'linear__search', true],
    ['linear__*', 'linear__', true],
    ['linear__*', 'xlinear__search', false],
    ['*', '', true],
    ['*', 'anything', true],
    ['db__query_*', 'db__query', false],
    ['*_read', 'files_read', true],
    ['a*b*c', 'axxbyyc', true],
    ['a*b*c', 'acb', false],
    ['a*a', 'a', false],
    ['ab*ba', 'aba', false],
    ['a*bc*c', 'abc', false],
    ['**', 'x', true],
    ['exact', 'exact', true],
    ['exact', 'exactly', false],
    ['a.c', 'abc', false],
    ['', '', true],
    ['', 'x', false],
  ])('%s and %s: %s', (pattern, name, expected) => {
    expect(check(pattern, name)).toBe(expected);
  });

  test('mean what the same regular expression means', () => {
    const text = fc.stringMatching(/^[ab]{0,8}$/);
    const pattern = fc.stringMatching(/^[ab*]{0,6}$/);
    fc.assert(
      fc.property(pattern, text, (by, name) => {
        expect(check(by, name)).toBe(new RegExp(`^${by.replaceAll('*', '.*')}$`).test(name));
      }),
      { numRuns: 2_000 },
    );
  });

  test('cost no more than the name is long, however many stars there are', () => {
    const before = performance.now();
    expect(check(`${'*a'.repeat(2_000)}b`, 'a'.repeat(10_000))).toBe(false);
    expect(performance.now() - before).toBeLessThan(500);
  });

  test('one of several is enough, none is none', () => {
    expect(matchesAny(['x', 'a*'], 'abc')).toBe(true);
    expect(matchesAny([], 'abc')).toBe(false);
  });
});
