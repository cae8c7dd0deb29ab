import { describe, expect, test } from 'vitest';
import { expectedVersion, tagOf } from './entity-tag.js';

const current = { version: 3, updatedAt: 1_700_000_000_000 };

describe('If-Match', () => {
  test.each([
    ['nothing', undefined, undefined],
    ['anything', '*', undefined],
    ['the tag', tagOf(current), 3],
    ['the tag among others', `"x", ${tagOf(current)} ,"y"`, 3],
  ])('%s is met', (_name, ifMatch, version) => {
    expect(expectedVersion(ifMatch, current)).toBe(version);
  });

  test.each([
    ['another version', '"2-x"'],
    ['a weak tag', `W/${tagOf(current)}`],
    ['a tag without quotes', tagOf(current).slice(1, -1)],
    ['a star among others', '"x", *'],
    ['nothing between commas', ',,'],
    ['the version of an earlier record with the same id', tagOf({ version: 3, updatedAt: 1 })],
  ])('%s is not', (_name, ifMatch) => {
    expect(() => expectedVersion(ifMatch, current)).toThrow(
      expect.objectContaining({ code: 'precondition_failed' }),
    );
  });

  test('where there is nothing, nothing matches', () => {
    expect(() => expectedVersion('*', undefined)).toThrow(
      expect.objectContaining({ code: 'precondition_failed' }),
    );
    expect(expectedVersion(undefined, undefined)).toBeUndefined();
  });
});
