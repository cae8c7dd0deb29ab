import { describe, expect, test } from 'vitest';
import { parseJson, type Json, type JsonObject } from '../mcp/jsonrpc/index.js';
import { createValidator } from './validator.js';

const validator = createValidator();
// The compiler is loaded with the first schema that is not plain; what is timed below is the judgement alone.
validator.judge({ pattern: 'x' });
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

describe('problems', () => {
  const check = (schema: JsonObject, value: Json, expected: readonly string[]) =>
    expect(validator.problems(schema, value)).toEqual(expected);

  test('a valid value has none', () =>
    check(object({ a: { type: 'string' } }, { required: ['a'] }), { a: 'x' }, []));
  test('the path and the expectation are named', () =>
    check(object({ a: object({ b: { type: 'integer' } }) }), { a: { b: 'x' } }, [
      'arguments.a.b: must be integer',
    ]));
  test('the value is called what it is', () =>
    expect(validator.problems(object({ n: { type: 'integer' } }), { n: 'x' }, 'structuredContent')).toEqual([
      'structuredContent.n: must be integer',
    ]));
  test('a missing member', () =>
    check(object({}, { required: ['a'] }), {}, ["arguments: must have required property 'a'"]));
  test('a member too many', () =>
    check(object({}, { additionalProperties: false }), { x: 1 }, ['arguments: has no property "x"']));
  test('M-23: members inherited from Object.prototype do not count', () =>
    check(object({}, { required: ['toString'] }), {}, ["arguments: must have required property 'toString'"]));
  test('M-23: __proto__ carries nothing', () =>
    check(object({ a: { type: 'string' } }, { required: ['a'] }), parseJson('{"__proto__":{"a":"x"}}'), [
      "arguments: must have required property 'a'",
    ]));
  test('draft-07 keywords where it is declared', () =>
    check(
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { a: { type: 'array', items: [{ type: 'string' }], additionalItems: false } },
      },
      { a: ['x', 1] },
      ['arguments.a: must NOT have more than 1 items'],
    ));
  test('2020-12 keywords otherwise', () =>
    check(
      object({ a: { type: 'array', prefixItems: [{ type: 'string' }], items: false } }),
      { a: ['x', 1] },
      ['arguments.a: must NOT have more than 1 items'],
    ));
  test('numbers beyond a double are checked as numbers', () =>
    check(object({ a: { type: 'integer' } }), parseJson('{"a":9007199254740993}'), []));
  test('M-33: a pattern that would backtrack for ever answers at once', () => {
    const start = performance.now();
    check(object({ a: { type: 'string', pattern: '^(a+)+$' } }), { a: `${'a'.repeat(50_000)}!` }, [
      'arguments.a: must match pattern "^(a+)+$"',
    ]);
    expect(performance.now() - start).toBeLessThan(10_000);
  });
  const TOO_LONG = ['checking this against the schema would take too long'];
  test('M-33: a long text is checked where that is quick, and refused where it is not', () => {
    const a = 'a'.repeat(3_000_000);
    check(object({ a: { pattern: '^[a-z]+$' } }), { a }, []);
    check(object({ a: { pattern: '^(a+)+$' } }), { a }, TOO_LONG);
  });
  test('M-33: a pattern that is in many places at once', () => {
    const schema = object({ a: { pattern: '([a-z]{1,30}){1,30}$' } });
    check(schema, { a: 'a'.repeat(500) }, []);
    check(schema, { a: 'a'.repeat(90_000) }, TOO_LONG);
  });
  test('B2.7: a long text that many parts look at', () => {
    const parts = (part: JsonObject) => ({ allOf: Array.from({ length: 30 }, () => object({ a: part })) });
    const a = 'a'.repeat(3_000_000);
    check(parts({ maxLength: 4_000_000 }), { a }, []);
    check(parts({ minLength: 2_000_000 }), { a }, TOO_LONG);
    check(parts({ pattern: 'b$' }), { a }, ['arguments.a: must match pattern "b$"']);
    check(parts({ pattern: '[^b]$' }), { a }, TOO_LONG);
  });
  test.each(['#/$defs/node', '#/default/node'])(
    'B2.7: a schema that doubles with every level: %s',
    ($ref) => {
      const node = { type: 'object', properties: { a: { $ref } }, patternProperties: { '^a': { $ref } } };
      let value: Json = {};
      for (let depth = 0; depth < 55; depth++) value = { a: value };
      check({ $ref, $defs: { node }, default: { node } }, value, TOO_LONG);
    },
  );
  test('B2.7: a schema that leads back to itself by a name', () =>
    check({ $ref: '#x', $defs: { node: { $anchor: 'x', anyOf: [{ $ref: '#x' }] } } }, {}, TOO_LONG));
  test('B2.7: more ways than there is time for', () => {
    const branch = { allOf: [{ type: 'object', properties: { x: {} } }, { required: ['y'] }] };
    const items = { oneOf: [...Array.from({ length: 50 }, () => branch), { type: 'object' }] };
    check(
      object({ a: { type: 'array', items } }),
      { a: Array.from({ length: 10_000 }, () => ({})) },
      TOO_LONG,
    );
  });
  test('B2.7: many items are compared in no time', () => {
    const schema = object({ a: { type: 'array', uniqueItems: true } });
    const a = Array.from({ length: 5_000 }, (_, n) => ({ n, of: [n] }));
    check(schema, { a }, []);
    check(schema, { a: [...a, { of: [7], n: 7 }] }, ['arguments.a: must NOT have duplicate items']);
  });
  test('B2.7: a pattern that becomes large when it is written out', () => {
    const names = Array.from({ length: 20 }, (_, n) => `k${n}`);
    const schema = object(
      Object.fromEntries(names.map((name) => [name, { pattern: `((a|${name}){1,30}){1,30}` }])),
    );
    check(schema, Object.fromEntries(names.map((name) => [name, 'a'])), TOO_LONG);
    check(schema, { k1: 'a', k2: 'b' }, ['arguments.k2: must match pattern "((a|k2){1,30}){1,30}"']);
  });
  test('a tree whose nodes are one of several things', () => {
    const node = {
      anyOf: [{ type: 'string' }, object({ and: { type: 'array', items: { $ref: '#/$defs/node' } } })],
    };
    const schema = object({ filter: { $ref: '#/$defs/node' } }, { $defs: { node } });
    expect(validator.judge(schema)).toBeUndefined();
    check(schema, { filter: { and: ['a', { and: ['b'] }] } }, []);
    expect(validator.problems(schema, { filter: { and: [1] } })).not.toEqual([]);
  });
  test('two patterns are two patterns', () =>
    check(object({ a: { pattern: '^x' }, b: { pattern: '^y' } }), { a: 'x', b: 'x' }, [
      'arguments.b: must match pattern "^y"',
    ]));
  test('what the linear engine cannot express is left to the upstream', () =>
    check(object({ a: { pattern: '(?=x)x' } }), { a: 'y' }, []));
});

describe('S53, M-32: judge', () => {
  const nested = (levels: number): JsonObject =>
    levels === 0 ? { type: 'string' } : object({ x: nested(levels - 1) });
  const fan = (levels: number): JsonObject => ({
    $defs: Object.fromEntries(
      Array.from({ length: levels }, (_, i) => [
        `d${i}`,
        i + 1 === levels ? {} : { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
      ]),
    ),
    $ref: '#/$defs/d0',
  });
  test.each<[string, JsonObject, string | undefined]>([
    ['a plain schema', object({ a: { type: 'string' } }), undefined],
    ['a recursive tree', { type: 'object', properties: { child: { $ref: '#' } } }, undefined],
    ['30 levels', nested(30), undefined],
    [
      'a remote reference',
      object({ a: { $ref: 'https://example.com/x.json' } }),
      'the schema refers to another document',
    ],
    [
      'a reference to nothing',
      object({ a: { $ref: '#/$defs/x' } }),
      'the schema refers to #/$defs/x, which is not there',
    ],
    ['a reference to itself', { $ref: '#' }, 'the schema refers to itself without end'],
    [
      'a circle',
      { $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } }, $ref: '#/$defs/a' },
      'the schema refers to itself without end',
    ],
    ['a fan of references', fan(22), 'the schema has too many references to follow'],
    [
      '5 000 levels',
      JSON.parse(`${'{"properties":{"x":'.repeat(2_500)}{}${'}}'.repeat(2_500)}`) as JsonObject,
      'the schema is nested deeper than 64 levels',
    ],
    [
      '20 000 branches',
      { anyOf: Array.from({ length: 20_000 }, () => ({})) },
      'the schema has more than 5000 parts',
    ],
    ['half a megabyte', { description: 'x'.repeat(500_000) }, 'the schema is larger than 262144 bytes'],
    ['a type that does not exist', { type: 'text' }, 'the schema is not valid JSON Schema'],
    ['a property called $ref', object({ $ref: { type: 'string' } }), undefined],
    ['a default that looks like a reference', object({ a: { default: { $ref: 'http://x' } } }), undefined],
  ])('%s', (_name, schema, expected) => {
    const start = performance.now();
    expect(validator.judge(schema)).toBe(expected);
    expect(performance.now() - start).toBeLessThan(500);
  });
});
