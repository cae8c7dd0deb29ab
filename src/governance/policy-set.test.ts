import { expect, test } from 'vitest';
import { toPolicyId } from '../kernel/index.js';
import { atOnce } from './policy-pieces.js';
import type { Policy } from './policy.js';
import { readSet, readSetLate, statementsOf, type PolicySet } from './policy-set.js';

const PERMIT = 'permit(principal, action, resource);';
const FORBID = 'forbid(principal, action, resource);';
const NONE: PolicySet = new Map();
const INVALID = { code: 'config_invalid' };

function policy(id: string, text: string): Policy {
  return { id: toPolicyId(id), text, source: 'stored', version: 1, updatedAt: 0 };
}

const read = (policies: readonly Policy[], before: PolicySet, passed = false): PolicySet =>
  atOnce(readSet(policies, before, { passed }));
const idsIn = (set: PolicySet): string[] => statementsOf(set).map(({ id }) => id);

test('a document that stays as it was is not read again, and one that changed is', () => {
  const before = read([policy('a', PERMIT), policy('b', PERMIT), policy('c', PERMIT)], NONE);
  const after = read([policy('a', PERMIT), policy('b', FORBID), policy('d', PERMIT)], before);
  expect(after.get(toPolicyId('a'))).toBe(before.get(toPolicyId('a')));
  expect(statementsOf(after).map(({ id, effect }) => [id, effect])).toEqual([
    ['a/1', 'permit'],
    ['b/1', 'forbid'],
    ['d/1', 'permit'],
  ]);
});

test('the same text under another name is another document', () => {
  const before = read([policy('a', PERMIT)], NONE);
  expect(idsIn(read([policy('b', PERMIT)], before))).toEqual(['b/1']);
});

test('what was accepted before and nobody asked for yet stays unread beside what is new', () => {
  const before = readSetLate([policy('a', 'not a policy'), policy('b', PERMIT)], NONE);
  const after = read([policy('a', 'not a policy'), policy('b', FORBID)], before);
  expect(() => statementsOf(after)).toThrow(expect.objectContaining(INVALID));
  expect(() => read([policy('a', 'not a policy either')], before)).toThrow(expect.objectContaining(INVALID));
});

test('what is new is checked, and what is twice is refused', () => {
  const unknown = policy('b', 'permit(principal, action, resource) when { principal.nothing };');
  const before = read([policy('a', PERMIT)], NONE);
  expect(() => read([policy('a', PERMIT), unknown], before)).toThrow(expect.objectContaining(INVALID));
  const twice = [policy('a', PERMIT), policy('a', FORBID)];
  for (const reading of [() => read(twice, before), () => readSetLate(twice, before)])
    expect(reading).toThrow(expect.objectContaining(INVALID));
});
