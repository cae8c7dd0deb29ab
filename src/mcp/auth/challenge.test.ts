import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findBearerChallenge, parseChallenges, splitScopes } from './challenge.js';

test.each<[string, readonly [string, Record<string, string>][]]>([
  ['', []],
  ['Bearer', [['bearer', {}]]],
  ['Bearer realm="a, b", scope="x y"', [['bearer', { realm: 'a, b', scope: 'x y' }]]],
  ['BEARER Scope = x', [['bearer', { scope: 'x' }]]],
  ['Bearer a="q\\"u\\\\o"', [['bearer', { a: 'q"u\\o' }]]],
  [
    'Basic realm=x, Bearer error="e", Negotiate',
    [
      ['basic', { realm: 'x' }],
      ['bearer', { error: 'e' }],
      ['negotiate', {}],
    ],
  ],
  [
    'Negotiate abc==, Bearer a=b',
    [
      ['negotiate', {}],
      ['bearer', { a: 'b' }],
    ],
  ],
  ['Bearer a=1, a=2', [['bearer', { a: '1' }]]],
  ['Bearer a="1", b="broken', [['bearer', { a: '1' }]]],
])('C54: %s', (header, expected) => {
  const found = parseChallenges(header).map(({ scheme, parameters }) => [
    scheme,
    Object.fromEntries(parameters),
  ]);
  expect(found).toEqual(expected);
});

test('of several bearer challenges the one that says where the metadata is', () => {
  const header =
    'Bearer scope="a", Bearer resource_metadata="https://r.example/", scope="b c", error="insufficient_scope"';
  expect(findBearerChallenge(header)).toEqual({
    resourceMetadata: 'https://r.example/',
    scopes: ['b', 'c'],
    error: 'insufficient_scope',
  });
  expect(findBearerChallenge('Basic realm="x"')).toBeUndefined();
});

test('whatever is written well is read back, in any order', () => {
  const name = fc.stringMatching(/^[a-z][a-z_]{0,12}$/);
  const value = fc.stringMatching(/^[ -~]{0,40}$/);
  fc.assert(
    fc.property(fc.dictionary(name, value, { minKeys: 1, maxKeys: 8 }), (parameters) => {
      const written = Object.entries(parameters).map(
        ([key, text]) => `${key}="${text.replace(/["\\]/g, '\\$&')}"`,
      );
      const [found] = parseChallenges(`Bearer ${written.join(', ')}`);
      expect(Object.fromEntries(found?.parameters ?? [])).toEqual({ ...parameters });
    }),
  );
});

test('nothing makes it throw, and it stays within its bounds', () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom('Bearer', ' ', ',', '=', '"', '\\', 'a', '\t', 'é'),
        maxLength: 400,
      }),
      (header) => {
        expect(parseChallenges(header).length).toBeLessThanOrEqual(32);
      },
    ),
  );
  const begun = performance.now();
  for (const unit of ['a', ' ', 'a ', 'a=', '"', 'a="\\', ', ', 'Bearer a=b, '])
    parseChallenges(unit.repeat(100_000));
  expect(performance.now() - begun).toBeLessThan(2_000);
});

test('what is no scope is left out', () => {
  expect(splitScopes('a  b "c" a é d:e')).toEqual(['a', 'b', 'd:e']);
});
