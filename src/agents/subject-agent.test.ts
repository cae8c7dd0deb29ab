import { describe, expect, test } from 'vitest';
import { findSubjectAgent } from './subject-agent.js';
import { readAudience, readScopes, type SubjectRules } from './token-issuer.js';

const RULES: SubjectRules = { claim: 'sub', map: {}, template: undefined, automatic: undefined };
const find = (rules: Partial<SubjectRules>, all: Record<string, unknown>, issuer = 'https://a.example') =>
  findSubjectAgent(issuer, { ...RULES, ...rules }, { all });

describe('which agent a token stands for', () => {
  test.each<[string, Partial<SubjectRules>, Record<string, unknown>, object | undefined]>([
    ['nobody without a rule', {}, { sub: 'x' }, undefined],
    [
      'the map names one that must be there',
      { map: { x: 'ci' }, automatic: { tags: ['new'] } },
      { sub: 'x', name: 'X' },
      { id: 'ci', name: 'ci', tagsOfNew: undefined },
    ],
    ['the map takes numbers', { map: { '7': 'ci' } }, { sub: 7 }, { id: 'ci' }],
    ['the map takes one of many', { map: { x: 'ci' } }, { sub: ['w', 'x'] }, { id: 'ci' }],
    ['a map without it', { map: { y: 'ci' } }, { sub: 'x' }, undefined],
    ['a template', { template: 'u-{value}-{value}' }, { sub: 'x' }, { id: 'u-x-x', tagsOfNew: undefined }],
    [
      'a template that may make one',
      { template: 'u-{value}', automatic: { tags: ['t'] } },
      { sub: 'x' },
      { tagsOfNew: ['t'] },
    ],
    ['a template is filled in as it stands', { template: '{value}' }, { sub: '$&' }, undefined],
    ['a template of many', { template: '{value}' }, { sub: ['x', 'y'] }, undefined],
    ['a template of a list of one', { template: '{value}' }, { sub: ['x'] }, { id: 'x' }],
    ['a template of nothing', { template: 'u-{value}' }, {}, undefined],
    ['a template of an empty text', { template: 'u{value}' }, { sub: '' }, undefined],
    ['a template of something else', { template: '{value}' }, { sub: { a: 1 } }, undefined],
    ['a template of yes', { template: '{value}' }, { sub: true }, undefined],
  ])('%s', (_what, rules, claims, expected) => {
    const found = find(rules, claims);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(expected);
  });

  test('one that is made depends on issuer, claim and value, and on nothing else', () => {
    const automatic = { tags: [] };
    const ids = [
      find({ automatic }, { sub: 'x' }),
      find({ automatic }, { sub: 'y' }),
      find({ automatic }, { sub: 'x' }, 'https://b.example'),
      find({ automatic, claim: 'oid' }, { oid: 'x' }),
    ].map((found) => found?.id);
    expect(new Set(ids).size).toBe(4);
    expect(ids[0]).toMatch(/^oauth-[0-9a-f]{24}$/);
    expect(find({ automatic }, { sub: 'x', name: 'Anna' })?.id).toBe(ids[0]);
  });

  test.each([
    [{ sub: 'x', name: 'Anna', email: 'a@b' }, 'Anna'],
    [{ sub: 'x', name: ' ', preferred_username: 'anna', email: 'a@b' }, 'anna'],
    [{ sub: 'x', name: 7, email: 'a@b' }, 'a@b'],
    [{ sub: 'x' }, 'x'],
    [{ sub: 'x', name: 'a\nb\u0007' }, 'a b '],
    [{ sub: 'x', name: 'n'.repeat(201) }, 'n'.repeat(200)],
  ])('%j is called %s', (claims, expected) => {
    expect(find({ automatic: { tags: [] } }, claims)?.name).toBe(expected);
  });
});

test.each([
  [{ scope: 'b a b' }, ['a', 'b']],
  [{ scp: ['a', 7, 'c d', ''] }, ['a']],
  [{ scope: 'a', scp: 'b' }, ['a']],
  [{ scope: 'a "b" c\\d é ~!' }, ['a', '~!']],
  [{ scope: 7 }, []],
  [{}, []],
])('scopes of %j', (claims, expected) => {
  expect(readScopes(claims)).toEqual(expected);
});

test.each([
  [{ aud: 'a' }, ['a']],
  [{ aud: ['a', 7, 'b'] }, ['a', 'b']],
  [{ aud: { a: 1 } }, []],
  [{}, []],
])('audience of %j', (claims, expected) => {
  expect(readAudience(claims)).toEqual(expected);
});
