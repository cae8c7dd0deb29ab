import { expect, test } from 'vitest';
import { pageOf, readCursor, writeCursor } from './list-page.js';

const page = (all: readonly string[], query: object) => pageOf('names', all, (name) => name, query);

test('pages together are the list, whatever its order was', () => {
  const all = Array.from({ length: 25 }, (_, index) => `n${(index * 7) % 25}`);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = page(all, { limit: 4, ...(cursor !== undefined && { cursor }) });
    seen.push(...items);
    cursor = nextCursor;
  } while (cursor !== undefined);
  expect(seen).toEqual(all.toSorted());
});

test('what is removed or added between pages disturbs neither', () => {
  const { nextCursor } = page(['a', 'b', 'c', 'd'], { limit: 2 });
  expect(page(['a', 'c', 'cc', 'd'], { limit: 2, cursor: nextCursor }).items).toEqual(['c', 'cc']);
});

test('a full last page is the last', () => {
  expect(page(['a', 'b'], { limit: 2 })).toEqual({ items: ['a', 'b'] });
});

test.each([
  'x',
  '',
  '*',
  writeCursor('others', 'a'),
  `${writeCursor('names', 'a')}=`,
  ` ${writeCursor('names', 'a')}`,
])('the cursor %j is not of this list', (cursor) => {
  expect(() => readCursor('names', cursor)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
});
