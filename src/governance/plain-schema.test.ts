import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../mcp/jsonrpc/index.js';
import { isPlainSchema } from './plain-schema.js';

test.each<[string, JsonObject]>([
  ['nothing', {}],
  [
    'the usual',
    {
      type: 'object',
      properties: {
        text: { type: 'string', description: 'What', minLength: 1, maxLength: 10, format: 'email' },
        limit: { type: ['integer', 'null'], minimum: 1, exclusiveMaximum: 100, default: 10 },
        kinds: { type: 'array', items: { enum: ['a', 'b'] }, uniqueItems: true, maxItems: 3 },
        either: { anyOf: [{ const: 1 }, { $ref: '#/$defs/deep' }, true] },
      },
      $defs: { deep: { type: 'object', additionalProperties: { not: { type: 'string' } } } },
      required: ['text'],
      additionalProperties: false,
    },
  ],
])('known to be valid: %s', (_name, schema) => {
  expect(isPlainSchema(schema)).toBe(true);
});

test.each<[string, JsonObject]>([
  ['a type that is none', { type: 'text' }],
  ['no types', { type: [] }],
  ['a type twice', { type: ['string', 'string'] }],
  ['a type in depth', { properties: { a: { items: { type: 'any' } } } }],
  ['a table of no schemas', { properties: { a: 'string' } }],
  ['required once and again', { required: ['a', 'a'] }],
  ['required by word', { properties: { a: { type: 'string', required: true } } }],
  ['a negative length', { minLength: -1 }],
  ['half an item', { maxItems: 1.5 }],
  ['a list of items', { items: [{ type: 'string' }] }],
  ['no choice', { anyOf: [] }],
  ['a pattern', { pattern: '(' }],
  ['another place', { $ref: 'https://example.com/schema' }],
  ['an address of its own', { $id: 'https://example.com/schema' }],
  ['a keyword that is not everyday', { dependentRequired: { a: ['b'] } }],
  ['a word that is no keyword', { nullable: true }],
])('not known to be valid: %s', (_name, schema) => {
  expect(isPlainSchema(schema)).toBe(false);
});

const KEYWORDS =
  'type enum const required properties $defs items anyOf not $ref additionalProperties minimum minLength maxItems uniqueItems title examples';

test('what is known to be valid, the compilers of both drafts find valid', () => {
  const compilers = [
    new Ajv2020({ strict: false, logger: false }),
    new Ajv({ strict: false, logger: false }),
  ];
  const value = fc.constantFrom<Json>(
    0,
    1,
    -1,
    2.5,
    true,
    false,
    null,
    '',
    'a',
    'string',
    '#/a',
    '#x',
    [],
    {},
  );
  const { schema } = fc.letrec<{ schema: Json; object: JsonObject; any: Json }>((tie) => ({
    schema: fc.oneof({ depthSize: 'small' }, fc.boolean(), value, tie('object')),
    any: fc.oneof({ depthSize: 'small' }, value, tie('schema'), fc.array(tie('schema'), { maxLength: 3 })),
    object: fc.dictionary(
      fc.constantFrom(...KEYWORDS.split(' ')),
      fc.oneof(tie('any'), fc.dictionary(fc.constantFrom('a', '__proto__'), tie('schema'), { maxKeys: 2 })),
      { maxKeys: 4 },
    ),
  }));
  fc.assert(
    fc.property(schema, (generated) => {
      if (typeof generated !== 'object' || generated === null || Array.isArray(generated)) return;
      if (!isPlainSchema(generated as JsonObject)) return;
      for (const compiler of compilers) expect(compiler.validateSchema(generated)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});
