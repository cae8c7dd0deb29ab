import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pageOf } from './list-pages.js';

const named = (names: readonly string[]) => names.map((name) => ({ name }));

/** All pages, one after the other. */
function walk(
  items: readonly object[],
  limit: number,
): { readonly sizes: number[]; readonly items: unknown[] } {
  const all: unknown[] = [];
  const sizes: number[] = [];
  let cursor: unknown;
  do {
    const page = pageOf(items, 'tools', { limit, ...(cursor !== undefined && { cursor: cursor as string }) });
    const tools = page['tools'] as unknown[];
    all.push(...tools);
    sizes.push(tools.length);
    cursor = page['nextCursor'];
  } while (cursor !== undefined);
  return { sizes, items: all };
}

describe('pages', () => {
  test('together are the whole list, in order, each as large as asked', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string(), { maxLength: 40 }),
        fc.integer({ min: 1, max: 50 }),
        (names, limit) => {
          const walked = walk(named(names), limit);
          expect(walked.items).toEqual(named(names));
          for (const size of walked.sizes.slice(0, -1)) expect(size).toBe(limit);
        },
      ),
    );
  });

  test('the last page has no cursor, an empty list is one page', () => {
    expect(pageOf(named(['a']), 'tools', { limit: 1 })).toEqual({ tools: [{ name: 'a' }] });
    expect(pageOf([], 'tools', { limit: 5 })).toEqual({ tools: [] });
  });

  test('what was there all along is neither lost nor repeated when the list changes in between', () => {
    const first = pageOf(named(['a', 'c', 'e']), 'tools', { limit: 2 });
    const second = pageOf(named(['a', 'b', 'c', 'd', 'e']), 'tools', {
      ...(first['nextCursor'] !== undefined && { cursor: first['nextCursor'] }),
    });
    expect(second).toEqual({ tools: named(['d', 'e']) });
  });

  test('addresses are told apart as well as names', () => {
    const resources = [
      { uri: 'x:1', name: 'same' },
      { uri: 'x:2', name: 'same' },
      { uri: 'x:3', name: 'same' },
    ];
    const templates = resources.map(({ uri, name }) => ({ uriTemplate: `${uri}/{a}`, name }));
    expect(walk(resources, 1).items).toEqual(resources);
    expect(walk(templates, 1).items).toEqual(templates);
  });

  test.each<readonly [string, object]>([
    ['a cursor of somebody else', { cursor: 'AAAA' }],
    ['an empty cursor', { cursor: '' }],
    ['a cursor that is no text', { cursor: 5 }],
  ])('%s is refused', (_what, params) => {
    expect(() => pageOf(named(['a']), 'tools', { ...params })).toThrow(
      expect.objectContaining({ code: 'invalid_cursor' }) as Error,
    );
  });

  test.each([0, -1, 1.5, '5', null])('a page of %j is refused', (limit) => {
    expect(() => pageOf(named(['a']), 'tools', { limit })).toThrow(
      expect.objectContaining({ code: 'invalid_request' }) as Error,
    );
  });

  test('nobody gets more than a thousand at once', () => {
    const many = named(Array.from({ length: 1_500 }, (_, index) => `t${index}`));
    expect((pageOf(many, 'tools', { limit: 9_999 })['tools'] as unknown[]).length).toBe(1_000);
    expect(
      (pageOf(many, 'tools', { cursor: Buffer.from('t0').toString('base64url') })['tools'] as unknown[])
        .length,
    ).toBe(100);
  });
});
