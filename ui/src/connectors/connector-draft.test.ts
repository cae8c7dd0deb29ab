import { expect, test } from 'vitest';
import { mergeDrafts, NEW_DRAFT } from './connector-draft.js';

const before = { ...NEW_DRAFT, name: 'Issues', tags: 'a' };

test.each([
  ['nothing was typed', {}, { name: 'Theirs' }, { name: 'Theirs' }],
  ['they changed something else', { name: 'Mine' }, { tags: 'b' }, { name: 'Mine', tags: 'b' }],
  ['both changed the same to the same', { name: 'Ours' }, { name: 'Ours' }, { name: 'Ours' }],
  ['both changed the same', { name: 'Mine', tags: 'c' }, { name: 'Theirs' }, undefined],
])('drafts of two people, where %s', (_case, mine, theirs, merged) => {
  expect(mergeDrafts(before, { ...before, ...mine }, { ...before, ...theirs })).toEqual(
    merged === undefined ? undefined : { ...before, ...merged },
  );
});
