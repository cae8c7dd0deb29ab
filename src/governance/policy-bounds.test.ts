import { expect, test } from 'vitest';
import { findEntanglement } from './policy-bounds.js';
import { findPolicyProblems } from './policy-problems.js';

const when = (condition: string): string => `permit(principal, action, resource) when { ${condition} };`;
const nested = (open: string, close: string, depth: number): string =>
  when(`${open.repeat(depth)}true${close.repeat(depth)} == true`);
const chain = (operator: string, length: number): string =>
  when(Array.from({ length }, () => 'true').join(operator));

// The braces of the condition are the first of 32 levels.
const ALLOWED = [
  nested('(', ')', 31),
  nested('[', ']', 25),
  nested('{a:', '}', 31),
  // The word `when` and the braces of the condition are the first 3 of 80 levels.
  chain(' && ', 78),
  chain(' || ', 78),
  chain(' + ', 78),
  when(`context${'.a'.repeat(77)}`),
  when(`context${'["a"]'.repeat(75)}`),
  when(`${'if true then '.repeat(50)}true${' else false'.repeat(50)}`),
  // What stands side by side is not nested.
  when(Array.from({ length: 74 }, () => 'principal.tags.contains("x")').join(' || ')),
  when(`[${Array.from({ length: 200 }, (_, i) => -i).join(', ')}].contains(1)`),
  when(`[${'1,'.repeat(1_990)}1].contains(1)`),
  `// ${'('.repeat(99)}\n${when(`"${'('.repeat(99)}\\"${'['.repeat(99)}" == "x"`)}`,
];

test.each(ALLOWED.map((text) => [text.slice(36, 70), text]))(
  'B4.10: %s is left to the library',
  async (_, text) => {
    expect(findEntanglement(text)).toBeUndefined();
    await expect(findPolicyProblems(text)).resolves.toBeDefined();
  },
);

test.each([
  nested('(', ')', 32),
  nested('[', ']', 32),
  nested('{a:', '}', 3_000),
  chain(' && ', 79),
  when(`[${Array.from({ length: 252 }, () => -1).join(', ')}].contains(1)`),
  chain(' + ', 79),
  when(`context${'.a'.repeat(78)}`),
  when(`context${'.a'.repeat(20_000)}`),
  when(`[1, (${chain(' && ', 77).slice(43, -3)}), 2].contains(true)`),
  when(`${'(true && '.repeat(27)}true${')'.repeat(27)}`),
  `permit(principal, action, resource)${' when { true }'.repeat(79)};`,
  `permit(principal, action, resource)${' unless { true }'.repeat(79)};`,
  when(`${'if true then '.repeat(51)}true${' else false'.repeat(51)}`),
  'permit(principal, action, resource);'.repeat(1_001),
  when(`[${'1,'.repeat(2_001)}1].contains(1)`),
])('B4.10: what the library could not survive is refused, and others are checked as before', async (text) => {
  expect(await findPolicyProblems(text)).toEqual([
    { severity: 'error', message: expect.stringMatching(/deeper than|more than/) as string },
  ]);
  expect(await findPolicyProblems(when('true'))).toEqual([]);
});
