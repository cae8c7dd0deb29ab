import { expect, test } from 'vitest';
import { toPolicyId } from '../kernel/index.js';
import { createPolicyDirectory } from './policy-directory.js';
import type { Policy } from './policy.js';

const policy = (id: string, source: Policy['source'] = 'stored'): Policy => ({
  id: toPolicyId(id),
  text: `// ${source}`,
  source,
  version: 1,
  updatedAt: 0,
});

test('a configured policy hides a stored one of its name, and only as long as it is configured', async () => {
  const stored = [policy('b'), policy('a')];
  const directory = createPolicyDirectory({
    list: async () => stored,
    find: async (id) => stored.find((each) => each.id === id),
  });
  directory.configure([policy('b', 'file'), policy('c', 'built_in')]);
  expect((await directory.list()).map(({ id, source }) => `${id} ${source}`)).toEqual([
    'a stored',
    'b file',
    'c built_in',
  ]);
  expect((await directory.require(toPolicyId('b'))).source).toBe('file');
  directory.configure([]);
  expect((await directory.require(toPolicyId('b'))).source).toBe('stored');
  await expect(directory.require(toPolicyId('c'))).rejects.toMatchObject({ code: 'not_found' });
});
