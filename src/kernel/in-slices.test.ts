import { expect, test } from 'vitest';
import { inSlices } from './in-slices.js';

test('others have their turn while much is done', async () => {
  const seen: string[] = [];
  setImmediate(() => seen.push('other'));
  await inSlices(['a', 'b', 'c'], (item) => seen.push(item), 0);
  expect(seen).toEqual(['a', 'other', 'b', 'c']);
});

test('little is done at once', async () => {
  const seen: string[] = [];
  setImmediate(() => seen.push('other'));
  await inSlices(['a', 'b', 'c'], (item) => seen.push(item), 60_000);
  expect(seen).toEqual(['a', 'b', 'c']);
});

test('what fails ends it', async () => {
  await expect(
    inSlices([1, 2], () => {
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
});
