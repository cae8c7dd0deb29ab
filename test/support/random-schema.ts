import type { Json, JsonObject } from '../../src/mcp/jsonrpc/index.js';
import { Random } from '../fuzz/random.js';

const OTHER = '#/$defs/other';
const NAMES = ['a', 'b', 'ab', 'c'];
const PATTERNS = ['^a', 'b$', '.'];
const PLAIN: readonly Json[] = [null, true, 0, 1, 2, 1.5, -1, '', 'a', 'ab', 'bab', '2026-01-31', '😀'];
const TYPES: readonly Json[] = [
  'object',
  'array',
  'string',
  'integer',
  'null',
  ['string', 'null'],
  ['array', 'object'],
];
const DEEPEST_VALUE = 3;
const DEEPEST_SCHEMA = 4;

/** The same schema, and values that it may accept or refuse, for the same seed. */
export function schemaWithValues(seed: number): {
  readonly schema: JsonObject;
  readonly values: readonly Json[];
} {
  const random = new Random(seed);
  // What is referred to must not refer to itself.
  const other = JSON.stringify(randomSchema(random)).replaceAll(OTHER, '#/$defs/text');
  return {
    schema: {
      ...randomSchema(random),
      $defs: { other: JSON.parse(other) as Json, text: { type: 'string' } },
    },
    values: Array.from({ length: 20 }, () => randomValue(random)),
  };
}

/** A small value of any kind. */
function randomValue(random: Random, depth = 0): Json {
  const kind = random.below(depth === DEEPEST_VALUE ? 6 : 10);
  if (kind < 6) return random.pick(PLAIN);
  const inner = (): Json => randomValue(random, depth + 1);
  return kind < 8 ? several(random, 0, inner) : members(random, NAMES, inner);
}

/** A schema of a few keywords that looks at such values. */
function randomSchema(random: Random, depth = 0): JsonObject {
  const inner = (): Json =>
    depth === DEEPEST_SCHEMA || random.below(10) === 0
      ? random.pick<Json>([true, false, {}, { type: 'string' }, { $ref: OTHER }])
      : randomSchema(random, depth + 1);
  const small = (): number => random.below(3);
  const name = (): string => random.pick(NAMES);
  const keywords: Readonly<Record<string, () => Json>> = {
    type: () => random.pick(TYPES),
    enum: () => distinct(several(random, 1, () => randomValue(random))),
    const: () => randomValue(random),
    minLength: small,
    maxLength: small,
    pattern: () => random.pick(PATTERNS),
    format: () => random.pick(['date', 'email', 'uri']),
    minimum: small,
    exclusiveMaximum: small,
    multipleOf: () => random.pick([0.5, 1, 2]),
    minItems: small,
    maxItems: small,
    uniqueItems: () => small() > 0,
    minProperties: small,
    maxProperties: small,
    required: () => distinct(several(random, 1, name)),
    properties: () => members(random, NAMES, inner),
    patternProperties: () => members(random, PATTERNS, inner),
    additionalProperties: inner,
    propertyNames: inner,
    dependentRequired: () => members(random, NAMES, () => [name()]),
    dependentSchemas: () => members(random, NAMES, inner),
    allOf: () => several(random, 1, inner),
    anyOf: () => several(random, 1, inner),
    oneOf: () => several(random, 1, inner),
    not: inner,
    if: inner,
    then: inner,
    else: inner,
    items: inner,
    prefixItems: () => several(random, 1, inner),
    contains: inner,
    minContains: small,
    maxContains: small,
  };
  const chosen = new Map(several(random, 1, () => random.pick(Object.entries(keywords))));
  // Where both are asked, Ajv takes an empty list for one that contains something.
  if (chosen.has('prefixItems')) chosen.delete('contains');
  return Object.fromEntries([...chosen].map(([keyword, make]) => [keyword, make()]));
}

function several<T>(random: Random, least: number, make: () => T): T[] {
  return Array.from({ length: least + random.below(4) }, make);
}

function members(random: Random, names: readonly string[], make: () => Json): JsonObject {
  return Object.fromEntries(several(random, 0, () => [random.pick(names), make()] as const));
}

function distinct(values: readonly Json[]): Json[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
