import { expect, test } from 'vitest';
import { stringifyJson } from '../mcp/jsonrpc/index.js';
import { readJsonArguments, readPairs, splitPairs } from './tool-arguments.js';

const schema = (type: unknown) => ({
  type: 'object',
  properties: { v: typeof type === 'string' || Array.isArray(type) ? { type } : type },
});

test.each<readonly [string, unknown, string]>([
  ['5', 'string', '"5"'],
  ['true', 'string', '"true"'],
  ['', 'string', '""'],
  ['5', 'number', '5'],
  ['5', 'integer', '5'],
  ['12345678901234567890', 'integer', '12345678901234567890'],
  ['0.1000000000000000055511', 'number', '0.1000000000000000055511'],
  ['true', 'boolean', 'true'],
  ['[1]', 'array', '[1]'],
  ['{"a":[]}', 'object', '{"a":[]}'],
  ['null', ['string', 'null'], 'null'],
  ['x', ['string', 'null'], '"x"'],
  ['7', ['string', 'integer'], '7'],
  ['b', { enum: ['a', 'b'] }, '"b"'],
  ['2', { enum: [1, 2] }, '2'],
  ['on', { const: 'on' }, '"on"'],
  ['3', { oneOf: [{ type: 'number' }, { type: 'string' }] }, '3'],
  ['3', {}, '3'],
  ['three', {}, '"three"'],
  ['[not json', {}, '"[not json"'],
])('%s as %j is %s', (text, type, expected) => {
  expect(stringifyJson(readPairs(splitPairs([`v=${text}`]), schema(type))['v'])).toBe(expected);
});

test('a name may be that of a part of every object', () => {
  expect(stringifyJson(readPairs(splitPairs(['__proto__=1', 'constructor=2']), { type: 'object' }))).toBe(
    '{"__proto__":1,"constructor":2}',
  );
});

test('JSON keeps the digits of its numbers', () => {
  const text = '{"a":12345678901234567890,"b":1e400}';
  expect(stringifyJson(readJsonArguments(text))).toBe(text);
});

test.each<readonly [readonly string[], unknown, RegExp]>([
  [['v=maybe'], 'boolean', /^v must be true or false, not "maybe"$/],
  [['v=1.5'], 'integer', /^v must be a whole number/],
  [['v=x'], 'number', /^v must be a number/],
  [['v=1'], 'array', /^v must be a JSON array/],
  [['v=[]'], 'object', /^v must be a JSON object/],
  [['v=x'], ['integer', 'null'], /^v must be a whole number or null/],
  [['v'], 'string', /^"v" is not an argument$/],
  [['=v'], 'string', /is not an argument$/],
  [['v=a', 'v=b'], 'string', /^the argument v is given twice$/],
])('%j as %j is refused', (pairs, type, message) => {
  expect(() => readPairs(splitPairs(pairs), schema(type))).toThrow(message);
});

test.each([
  ['{"a":', /not valid JSON/],
  ['[]', /must be a JSON object/],
  ['{"a":1,"a":2}', /duplicate key/],
])('--args %s is refused', (text, message) => {
  expect(() => readJsonArguments(text)).toThrow(message);
});
