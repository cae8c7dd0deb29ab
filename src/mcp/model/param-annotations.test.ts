import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryObject } from '../../../test/support/arbitrary-json.js';
import type { JsonObject } from '../jsonrpc/index.js';
import { withoutParamHeaders } from './index.js';

const SITE = { type: 'string', 'x-mcp-header': 'Site' };

function schemaOf(properties: JsonObject): JsonObject {
  return { type: 'object', properties };
}

test('a schema without header annotations is the same object', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  expect(withoutParamHeaders(schema)).toBe(schema);
});

test('annotations go at any depth, names and data stay', () => {
  const schema = schemaOf({
    a: { ...SITE, enum: ['x-mcp-header'] },
    'x-mcp-header': { type: 'string', default: { 'x-mcp-header': 'data' } },
    b: { anyOf: [SITE], const: { 'x-mcp-header': 'data' } },
  });
  expect(withoutParamHeaders({ ...schema, $defs: { 'x-mcp-header': SITE } })).toEqual({
    ...schemaOf({
      a: { type: 'string', enum: ['x-mcp-header'] },
      'x-mcp-header': { type: 'string', default: { 'x-mcp-header': 'data' } },
      b: { anyOf: [{ type: 'string' }], const: { 'x-mcp-header': 'data' } },
    }),
    $defs: { 'x-mcp-header': { type: 'string' } },
  });
});

test('any schema without annotations is left as it is', () => {
  fc.assert(
    fc.property(arbitraryObject(), (schema) => {
      expect(JSON.stringify(withoutParamHeaders(schema))).toBe(JSON.stringify(schema));
    }),
  );
});
