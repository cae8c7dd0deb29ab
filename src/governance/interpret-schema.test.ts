import fc from 'fast-check';
import { expect, test } from 'vitest';
import { schemaWithValues } from '../../test/support/random-schema.js';
import type { Json, JsonObject } from '../mcp/jsonrpc/index.js';
import { createValidator } from './validator.js';

/** So many parts that the schema is not compiled; nothing refers to them. */
const BALLAST = Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`ballast${n}`, {}]));

const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';
const text = { type: 'string' };
const tree = {
  type: 'object',
  properties: { left: { $ref: '#/$defs/node' }, right: { $ref: '#/$defs/node' } },
  additionalProperties: false,
};

const SCHEMAS: readonly JsonObject[] = [
  { type: 'object' },
  { type: ['string', 'null'] },
  { type: 'integer' },
  { type: 'number', nullable: true },
  { type: 'array' },
  { type: 'boolean' },
  { enum: ['a', 1, null, { b: [1] }] },
  { enum: ['a', 'b'] },
  { const: { a: { x: 1, y: 2 } } },
  { const: 'a' },
  { minLength: 2 },
  { maxLength: 1 },
  { minLength: 1, maxLength: 2 },
  { pattern: '^a' },
  { format: 'date' },
  { format: 'email' },
  { format: 'int32' },
  { format: 'nobody-knows-it' },
  { minimum: 1 },
  { maximum: 1 },
  { exclusiveMinimum: 1 },
  { exclusiveMaximum: 1 },
  { multipleOf: 0.1 },
  { minItems: 2 },
  { maxItems: 1 },
  { uniqueItems: true },
  { minProperties: 2 },
  { maxProperties: 0 },
  { required: ['a'] },
  { required: ['toString'] },
  { properties: { a: text } },
  { properties: { 'a/b~c': text }, additionalProperties: false },
  { properties: { a: text }, patternProperties: { '^b': { type: 'integer' } }, additionalProperties: false },
  { patternProperties: { '^a': { minLength: 2 }, b$: { type: 'integer' } } },
  { additionalProperties: { type: 'integer' } },
  { additionalProperties: false },
  { propertyNames: { maxLength: 1 } },
  { dependentRequired: { a: ['b', 'c'] } },
  { dependentSchemas: { a: { required: ['b'] } } },
  { allOf: [{ required: ['a'] }, { properties: { a: text } }] },
  { anyOf: [text, { type: 'integer' }] },
  { oneOf: [{ type: 'integer' }, { minimum: 2 }] },
  { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
  { not: { type: 'object' } },
  { if: { type: 'object' }, then: { required: ['a'] }, else: { type: 'array' } },
  { if: { type: 'object' } },
  { items: { type: 'integer' } },
  { items: false },
  { prefixItems: [text, { type: 'integer' }] },
  { prefixItems: [text], items: { type: 'integer' } },
  { prefixItems: [text], items: false },
  { contains: { type: 'integer' } },
  { contains: { type: 'integer' }, minContains: 2, maxContains: 2 },
  { properties: { a: false } },
  { $ref: '#/$defs/node', $defs: { node: tree } },
  { properties: { a: { $ref: '#here' } }, $defs: { node: tree, named: { $anchor: 'here', ...text } } },
  { $dynamicAnchor: 'node', type: 'object', properties: { left: { $dynamicRef: '#node' } } },
  { $schema: DRAFT_7, items: [text, { type: 'integer' }], additionalItems: false },
  { $schema: DRAFT_7, items: [text], additionalItems: { type: 'integer' } },
  { $schema: DRAFT_7, dependencies: { a: ['b'], c: { required: ['a'] } } },
];

const VALUES: readonly Json[] = [
  null,
  true,
  0,
  1,
  1.5,
  2,
  0.3,
  'a',
  '',
  'bab',
  '😀',
  '😀a',
  '😀😀',
  '2026-01-31',
  'x@example.com',
  3_000_000_000,
  [],
  [1],
  [1, 1],
  [1, 2],
  ['a', 1],
  ['a', 1, 'b'],
  ['a', 'b'],
  [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
  ],
  {},
  { a: 'x' },
  { a: 1 },
  { a: 'x', b: 1 },
  { a: 'xy', b: 1, c: null },
  { ab: 1, bb: 'x' },
  { a: { y: 2, x: 1 } },
  { b: [1] },
  { c: 1 },
  { 'a/b~c': 1 },
  { left: { right: {} } },
  { left: { right: { left: 1 } } },
  { left: { middle: {} } },
];

const large = (schema: JsonObject): JsonObject => ({
  ...schema,
  $defs: { ...(schema['$defs'] as JsonObject | undefined), ...BALLAST },
});

test.each(SCHEMAS.map((schema) => [JSON.stringify(schema), schema] as const))(
  'a large schema refuses what a small one refuses: %s',
  (_, schema) => {
    const { problems } = createValidator();
    const refused = (one: JsonObject) => VALUES.map((value) => [value, problems(one, value).length > 0]);
    expect(refused(large(schema))).toEqual(refused(schema));
  },
);

test('whatever a large schema asks, it refuses what a small one refuses', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const { schema, values } = schemaWithValues(seed);
      const { problems } = createValidator();
      const refused = (one: JsonObject) => values.map((value) => [value, problems(one, value).length > 0]);
      expect(refused(large(schema))).toEqual(refused(schema));
    }),
    { numRuns: 60 },
  );
});

test.each<[JsonObject, Json]>([
  [{ properties: { a: { properties: { b: text } } } }, { a: { b: 1 } }],
  [{ properties: { a: text }, additionalProperties: false }, { b: 1 }],
  [{ properties: { a: { enum: ['x', 'y'] } } }, { a: 'z' }],
  [{ properties: { a: { anyOf: [text, { type: 'integer' }] } } }, { a: true }],
  [{ properties: { 'a/b': { type: 'array', items: { maximum: 3 } } } }, { 'a/b': [1, 5] }],
  [{ required: ['a', 'b'] }, { a: 1 }],
])('a large schema says the same of a value as a small one: %j', (schema, value) => {
  const { problems } = createValidator();
  expect(problems(large(schema), value)).toEqual(problems(schema, value));
  expect(problems(schema, value)).not.toEqual([]);
});

test.each<[JsonObject, Json, number]>([
  [{ enum: [{ a: 1 }] }, { valueOf: 1 }, 1],
  [{ const: { toString: null } }, { toString: null }, 0],
  [{ anyOf: [{ anyOf: [{ additionalProperties: {}, not: {} }] }, {}] }, { a: 1 }, 0],
  [{ enum: [{ a: 1 }], unevaluatedProperties: false }, { valueOf: 1 }, 1],
])('a small schema is checked where what was compiled of it breaks: %j, %j', (schema, value, problems) => {
  expect(createValidator().problems(schema, value)).toHaveLength(problems);
});

test('B2.7: the largest schemas are ready at once', () => {
  const parts = Array.from({ length: 2_400 }, (_, n) => [`^x${n}_`, text] as const);
  const { judge, problems } = createValidator();
  const schema = { type: 'object', patternProperties: Object.fromEntries(parts) };
  expect(judge(schema)).toBeUndefined();
  expect(problems(schema, { x7_: 'a' })).toEqual([]);
  expect(problems(schema, { x7_: 1 })).toEqual(['arguments.x7_: must be string']);
});

test('B2.7: walking through a large schema is bounded too', () => {
  const { problems } = createValidator();
  const $ref = '#/$defs/node';
  const node = { properties: { a: { $ref } }, patternProperties: { '^a': { $ref } } };
  let value: Json = {};
  for (let depth = 0; depth < 55; depth++) value = { a: value };
  expect(problems(large({ $ref, $defs: { node } }), value)).toEqual([
    'checking this against the schema would take too long',
  ]);
});

test('B2.7: what cannot do without the compiler is bounded', () => {
  const { judge } = createValidator();
  const parts = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`p${n}`, {}]));
  expect(judge({ properties: parts, $defs: { own: { $id: 'own' } } })).toMatch(/id of their own/);
});
