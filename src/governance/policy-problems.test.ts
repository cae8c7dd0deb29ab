import { expect, test } from 'vitest';
import { turnsDuring } from '../../test/support/turns-during.js';
import { findPolicyProblems } from './policy-problems.js';

const check = async (text: string) =>
  (await findPolicyProblems(text)).map(
    ({ severity, message, place }) =>
      `${severity} ${place === undefined ? '' : `${place.line}:${place.column}-${place.endLine}:${place.endColumn} `}${message}`,
  );

test('nothing is wrong with what is right', async () => {
  expect(await check('permit(principal == Agent::"ci", action, resource in Connector::"db");')).toEqual([]);
  expect(await check('// only a comment\n')).toEqual([]);
});

test.each([
  ['permit(principal action, resource);', ['error 1:18-1:24 unexpected token `action`']],
  // Places are those of the editor, whatever the letters before take in bytes.
  [
    '// é 😀\npermit(principal == Agent::"é", // 😀\n  action resource);',
    ['error 3:10-3:18 unexpected token `resource`'],
  ],
  [
    'permit(principal, action, resource);\nforbid(principal, action == Action::"call", resource) when { resource.ownr };',
    ['error 2:62-2:75 attribute `ownr` on entity type `Tool` not found'],
  ],
  ['@confirm("x") forbid(principal, action, resource);', ['error @confirm belongs on a permit']],
  [
    'permit(principal, action, resource); @id("1") permit(principal, action, resource);',
    ['error two statements are called text/1'],
  ],
  ['permit(principal == ?principal, action, resource);', [expect.stringContaining('template') as string]],
  [
    '@id("a") permit(principal, action, resource);\n@id("a") permit(principal, action, resource);',
    ['error two statements are called text/a'],
  ],
])('%s', async (text, expected) => {
  expect(await check(text)).toEqual(expected);
});

test('what can never do anything is warned of', async () => {
  const [warning] = await findPolicyProblems('permit(principal, action, resource) when { false };');
  expect(warning).toMatchObject({ severity: 'warning', place: { line: 1, column: 1 } });
});

test('what was meant is guessed', async () => {
  expect((await findPolicyProblems('permit(principal is Agnt, action, resource);'))[0]?.help).toContain(
    'Agent',
  );
});

test('of very many problems the first fifty are told', async () => {
  const wrong = 'permit(principal, action, resource is Tool) when { resource.owner == "x" };\n'.repeat(60);
  expect(await findPolicyProblems(wrong)).toHaveLength(50);
  const useless = 'permit(principal, action, resource) when { false };\n'.repeat(60);
  expect(await findPolicyProblems(useless)).toHaveLength(50);
});

test('a statement is told by its place, not by its number', async () => {
  const many = 'permit(principal, action, resource);\n'.repeat(12);
  const [problem] = await findPolicyProblems(
    `${many}permit(principal, action, resource is Tool) when { resource.ownr };`,
  );
  expect(problem).toMatchObject({ place: { line: 13 } });
  expect(problem?.message).toMatch(/^attribute/);
});

test('in a long document places are counted from its beginning, and others have their turn', async () => {
  const right = 'permit(principal, action, resource) when { [1, 2].contains(3) }; // ; é\n'.repeat(900);
  const wrong = 'permit(principal, action, resource); permit(principal action);';
  const { turns, outcome: found } = await turnsDuring(() => check(right + wrong));
  const column = wrong.indexOf('action);') + 1;
  expect(found).toEqual([`error 901:${column}-901:${column + 6} unexpected token \`action\``]);
  expect(turns).toBeGreaterThan(3);
});
