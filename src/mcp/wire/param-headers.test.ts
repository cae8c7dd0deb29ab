import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  arbitraryName,
  arbitraryObject,
  arbitraryWellFormedText,
} from '../../../test/support/arbitrary-json.js';
import { parseJson, type Json, type JsonObject } from '../jsonrpc/index.js';
import {
  checkParamHeaders,
  HEADER_MISMATCH,
  readParamHeaders,
  writeParamHeaders,
  type ParamHeader,
} from './index.js';

const SITE = { type: 'string', 'x-mcp-header': 'Site' };

function schemaOf(properties: JsonObject): JsonObject {
  return { type: 'object', properties };
}

function paramsOf(schema: JsonObject): readonly ParamHeader[] {
  const read = readParamHeaders(schema);
  if (!read.valid) throw new Error(read.reason);
  return read.params;
}

describe('annotations that are fine', () => {
  test.each<[string, JsonObject, readonly ParamHeader[]]>([
    ['none', schemaOf({ a: { type: 'string' } }), []],
    ['empty schema', {}, []],
    ['string', schemaOf({ site: SITE }), [{ header: 'mcp-param-site', path: ['site'], type: 'string' }]],
    [
      'integer and boolean',
      schemaOf({ n: { type: 'integer', 'x-mcp-header': 'N' }, b: { type: 'boolean', 'x-mcp-header': 'B' } }),
      [
        { header: 'mcp-param-n', path: ['n'], type: 'integer' },
        { header: 'mcp-param-b', path: ['b'], type: 'boolean' },
      ],
    ],
    [
      'nested',
      schemaOf({ a: schemaOf({ b: schemaOf({ c: SITE }) }) }),
      [{ header: 'mcp-param-site', path: ['a', 'b', 'c'], type: 'string' }],
    ],
    [
      'every letter of a token',
      schemaOf({ a: { type: 'string', 'x-mcp-header': "!#$%&'*+-.^_`|~09azAZ" } }),
      [{ header: "mcp-param-!#$%&'*+-.^_`|~09azaz", path: ['a'], type: 'string' }],
    ],
    [
      'properties named like keywords',
      schemaOf({
        properties: schemaOf({ properties: SITE }),
        'x-mcp-header': { type: 'string' },
        items: { type: 'string', 'x-mcp-header': 'Items' },
        const: { type: 'integer', 'x-mcp-header': 'Const' },
        $defs: { type: 'boolean', 'x-mcp-header': 'Defs' },
      }),
      [
        { header: 'mcp-param-site', path: ['properties', 'properties'], type: 'string' },
        { header: 'mcp-param-items', path: ['items'], type: 'string' },
        { header: 'mcp-param-const', path: ['const'], type: 'integer' },
        { header: 'mcp-param-defs', path: ['$defs'], type: 'boolean' },
      ],
    ],
    [
      'definitions named like keywords',
      {
        $defs: {
          'x-mcp-header': { type: 'string' },
          properties: { type: 'string' },
          enum: { type: 'object' },
        },
      },
      [],
    ],
    [
      'data that look like annotations',
      schemaOf({
        a: {
          default: { 'x-mcp-header': 1 },
          const: { 'x-mcp-header': 2 },
          enum: [{ 'x-mcp-header': 3 }],
          examples: [{ properties: { x: { 'x-mcp-header': 4 } } }],
        },
      }),
      [],
    ],
  ])('%s', (_name, schema, params) => {
    expect(readParamHeaders(schema)).toEqual({ valid: true, params });
  });

  test('a property named __proto__ is one like any other', () => {
    const schema = parseJson(
      '{"properties":{"__proto__":{"type":"string","x-mcp-header":"P"}}}',
    ) as JsonObject;
    const params = paramsOf(schema);
    expect(params).toEqual([{ header: 'mcp-param-p', path: ['__proto__'], type: 'string' }]);
    expect(writeParamHeaders(params, parseJson('{"__proto__":"v"}') as JsonObject)).toEqual({
      'mcp-param-p': 'v',
    });
    expect(writeParamHeaders(params, {})).toEqual({});
  });
});

describe('C12: a single bad annotation spoils the tool', () => {
  const annotated = (annotation: Json, type: Json = 'string'): JsonObject =>
    schemaOf({ a: { type, 'x-mcp-header': annotation } });

  test.each<[string, JsonObject]>([
    ['empty', annotated('')],
    ['blank', annotated(' ')],
    ['blank inside', annotated('a b')],
    ['colon', annotated('a:b')],
    ['line break', annotated('a\r\nb')],
    ['final line break', annotated('a\n')],
    ['not ASCII', annotated('ä')],
    ['number', annotated(7)],
    ['null', annotated(null)],
    ['object', annotated({ type: 'string' })],
    ['on a number', annotated('A', 'number')],
    ['on an object', annotated('A', 'object')],
    ['on an array', annotated('A', 'array')],
    ['on null', annotated('A', 'null')],
    ['on several types', annotated('A', ['string', 'null'])],
    ['without a type', schemaOf({ a: { 'x-mcp-header': 'A' } })],
    ['at the root', { ...schemaOf({}), type: 'string', 'x-mcp-header': 'A' }],
    ['twice', schemaOf({ a: SITE, b: SITE })],
    ['twice in another case', schemaOf({ a: SITE, b: { type: 'string', 'x-mcp-header': 'sITE' } })],
    ['twice on different levels', schemaOf({ a: SITE, b: schemaOf({ c: SITE }) })],
  ])('%s', (_name, schema) => {
    expect(readParamHeaders(schema)).toMatchObject({
      valid: false,
      reason: expect.stringContaining('x-mcp-header'),
    });
  });

  test.each<[string, JsonObject]>([
    ['items', { items: SITE }],
    ['items with properties', { items: schemaOf({ a: SITE }) }],
    ['prefixItems', { prefixItems: [{ type: 'string' }, SITE] }],
    ['contains', { contains: SITE }],
    ['additionalProperties', { additionalProperties: SITE }],
    ['unevaluatedProperties', { unevaluatedProperties: SITE }],
    ['propertyNames', { propertyNames: SITE }],
    ['patternProperties', { patternProperties: { '^x': SITE } }],
    ['dependentSchemas', { dependentSchemas: { a: schemaOf({ b: SITE }) } }],
    ['dependencies', { dependencies: { a: SITE, b: ['c'] } }],
    ['oneOf', { oneOf: [schemaOf({ a: SITE })] }],
    ['anyOf', { anyOf: [{ allOf: [SITE] }] }],
    ['not', { not: SITE }],
    ['if', { if: schemaOf({ a: SITE }) }],
    ['then', parseJson('{"then":{"type":"string","x-mcp-header":"A"}}') as JsonObject],
    ['else', { else: SITE }],
    ['$defs', { $defs: { a: SITE } }],
    ['definitions', { definitions: { a: schemaOf({ b: SITE }) } }],
    ['a definition named properties', { $defs: { properties: SITE } }],
    ['a definition named const', { $defs: { const: SITE } }],
    ['a pattern named default', { patternProperties: { default: SITE } }],
    ['an array of arrays', { anyOf: [[SITE]] }],
    ['an unknown keyword', { 'x-vendor': { deep: [SITE] } }],
  ])('below %s', (_name, keyword) => {
    expect(readParamHeaders(schemaOf({ list: keyword }))).toMatchObject({ valid: false });
    expect(readParamHeaders(keyword)).toMatchObject({ valid: false });
  });

  test('M-32: a schema that never ends is refused, and quickly', () => {
    let deep: JsonObject = SITE;
    for (let level = 0; level < 5000; level++)
      deep = level % 2 === 0 ? schemaOf({ a: deep }) : { anyOf: [deep] };
    const start = performance.now();
    expect(readParamHeaders(deep)).toMatchObject({ valid: false });
    expect(performance.now() - start).toBeLessThan(100);
  });
});

describe('headers of a call', () => {
  const params = paramsOf(
    schemaOf({
      s: { type: 'string', 'x-mcp-header': 'S' },
      n: { type: 'integer', 'x-mcp-header': 'N' },
      b: { type: 'boolean', 'x-mcp-header': 'B' },
      o: schemaOf({ deep: { type: 'string', 'x-mcp-header': 'Deep' } }),
    }),
  );

  test.each<[string, string, Record<string, string>]>([
    ['each type', '{"s":"x","n":42,"b":false,"o":{"deep":"y"}}', { s: 'x', n: '42', b: 'false', deep: 'y' }],
    ['an integer with a fraction', '{"n":42.0}', { n: '42' }],
    ['a negative integer', '{"n":-7}', { n: '-7' }],
    ['zero', '{"n":-0}', { n: '0' }],
    ['an integer no double holds', '{"n":9007199254740993}', { n: '9007199254740993' }],
    ['a large integer', '{"n":1e21}', { n: '1000000000000000000000' }],
    ['encoded text', '{"s":" ü"}', { s: '=?base64?IMO8?=' }],
    ['empty text', '{"s":""}', { s: '=?base64??=' }],
    ['absent and null', '{"s":null,"o":{}}', {}],
    ['parents of another type', '{"o":"deep"}', {}],
    ['parents that are null', '{"o":null}', {}],
    ['values without header form', '{"s":{"a":1},"n":[1],"b":{}}', {}],
    ['no own members', '{"o":{"__proto__":{"deep":"y"}}}', {}],
  ])('writes %s', (_name, args, expected) => {
    const headers = writeParamHeaders(params, parseJson(args) as JsonObject);
    expect(headers).toEqual(
      Object.fromEntries(Object.entries(expected).map(([name, value]) => [`mcp-param-${name}`, value])),
    );
  });

  test('writes none without arguments', () => {
    expect(writeParamHeaders(params, undefined)).toEqual({});
  });

  test.each<[string, string, Record<string, string>]>([
    ['equal values', '{"s":"x","n":42,"b":true}', { s: 'x', n: '42', b: 'true' }],
    ['42 and 42.0', '{"n":42}', { n: '42.0' }],
    ['42.0 and 42', '{"n":42.0}', { n: '42' }],
    ['leading zeros', '{"n":42}', { n: '042' }],
    ['exact digits', '{"n":9007199254740993}', { n: '9007199254740993' }],
    ['encoded although not needed', '{"s":"x"}', { s: '=?base64?eA==?=' }],
    ['both forms of empty text', '{"s":""}', { s: '' }],
    ['the other form of empty text', '{"s":""}', { s: '=?base64??=' }],
    ['blanks around', '{"s":"x"}', { s: ' x\t' }],
    ['absent argument, header ignored', '{}', { s: 'x' }],
    ['null argument, header ignored', '{"s":null}', { s: 'x' }],
    ['wrong type, left to the validation', '{"s":{"a":1},"n":["7"]}', {}],
  ])('S34: accepts %s', (_name, args, headers) => {
    expect(() => check(args, headers)).not.toThrow();
  });

  test.each<[string, string, Record<string, string>]>([
    ['missing', '{"s":"x"}', {}],
    ['missing for false', '{"b":false}', {}],
    ['missing for zero', '{"n":0}', {}],
    ['missing for empty text', '{"s":""}', {}],
    ['another text', '{"s":"x"}', { s: 'y' }],
    ['another case', '{"s":"x"}', { s: 'X' }],
    ['sent twice', '{"s":"x"}', { s: 'x, x' }],
    ['another number', '{"n":42}', { n: '43' }],
    ['hexadecimal', '{"n":42}', { n: '0x2a' }],
    ['exponent', '{"n":100}', { n: '1e2' }],
    ['plus sign', '{"n":42}', { n: '+42' }],
    ['empty for zero', '{"n":0}', { n: '' }],
    ['blank for zero', '{"n":0}', { n: ' ' }],
    ['a fraction that rounds', '{"n":42}', { n: '42.00000000000000000001' }],
    ['digits that round', '{"n":9007199254740992}', { n: '9007199254740993' }],
    ['exact digits that round to the same', '{"n":9007199254740993}', { n: '9007199254740992' }],
    ['yes for true', '{"b":true}', { b: 'yes' }],
    ['capital for true', '{"b":true}', { b: 'True' }],
    ['one for true', '{"b":true}', { b: '1' }],
    ['broken Base64', '{"s":"x"}', { s: '=?base64?eA?=' }],
    ['nested', '{"o":{"deep":"y"}}', { s: 'y' }],
  ])('S34, M-13: refuses %s', (_name, args, headers) => {
    expect(() => check(args, headers)).toThrow(expect.objectContaining({ code: HEADER_MISMATCH }));
  });

  function check(args: string, headers: Record<string, string>): void {
    const named = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [`mcp-param-${name}`, value]),
    );
    checkParamHeaders(params, parseJson(args) as JsonObject, named);
  }

  test('what is written is accepted, and for different arguments it is not', () => {
    const args = fc.record(
      {
        s: fc.oneof(arbitraryWellFormedText(), fc.constant(null)),
        n: fc.oneof(fc.maxSafeInteger(), fc.integer()),
        b: fc.boolean(),
        o: fc.record({ deep: arbitraryWellFormedText() }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(args, args, (some, others) => {
        const headers = writeParamHeaders(params, some);
        checkParamHeaders(params, some, headers);
        if (some.n !== undefined && others.n !== undefined && some.n !== others.n) {
          expect(() => checkParamHeaders(params, { n: others.n! }, headers)).toThrow('does not match');
        }
        if (typeof some.s === 'string' && typeof others.s === 'string' && some.s !== others.s) {
          expect(() => checkParamHeaders(params, { s: others.s! }, headers)).toThrow('does not match');
        }
      }),
      { numRuns: 300 },
    );
  });

  test('any name of a property can be followed', () => {
    fc.assert(
      fc.property(fc.array(arbitraryName(), { minLength: 1, maxLength: 5 }), (path) => {
        const nest = (
          leaf: JsonObject | string,
          wrap: (name: string, inner: Json) => JsonObject,
        ): JsonObject => path.reduceRight<Json>((inner, name) => wrap(name, inner), leaf) as JsonObject;
        const schema = nest(SITE, (name, inner) => schemaOf(Object.fromEntries([[name, inner]])));
        const args = nest('v', (name, inner) => Object.fromEntries([[name, inner]]));
        expect(paramsOf(schema)).toEqual([{ header: 'mcp-param-site', path, type: 'string' }]);
        expect(writeParamHeaders(paramsOf(schema), args)).toEqual({ 'mcp-param-site': 'v' });
      }),
    );
  });
});

test('any schema without annotations is valid', () => {
  fc.assert(
    fc.property(arbitraryObject(), (schema) => {
      expect(readParamHeaders(schema).valid).toBe(true);
    }),
  );
});
