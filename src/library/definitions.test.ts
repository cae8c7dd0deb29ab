import { expect, test } from 'vitest';
import { toDefinitions } from './definitions.js';

const tool = (more: object) => ({ name: 'search', inputSchema: { type: 'object' }, ...more });
const define = (more: object) => toDefinitions([{ name: 'mcp_s__search', source: 's', tool: tool(more) }]);

test('a schema without properties gets some, because providers refuse it otherwise', () => {
  const { openai, anthropic, aiSdk, mcp } = define({});
  const parameters = { type: 'object', properties: {} };
  expect(openai[0]?.function.parameters).toEqual(parameters);
  expect(anthropic[0]?.input_schema).toEqual(parameters);
  expect(aiSdk['mcp_s__search']?.inputSchema).toEqual(parameters);
  expect(mcp[0]?.inputSchema).toEqual({ type: 'object' });
});

test('providers take the lists as they are', () => {
  interface InputSchema {
    type: 'object';
    properties?: unknown;
    required?: string[] | null;
    [keyword: string]: unknown;
  }
  const { openai, anthropic } = define({});
  // The types are those of the providers' packages.
  const functions: { type: 'function'; function: { name: string; parameters?: Record<string, unknown> } }[] =
    openai;
  const tools: { name: string; input_schema: InputSchema }[] = anthropic;
  expect([functions.length, tools.length]).toEqual([1, 1]);
});

test('every keyword of the schema stays', () => {
  const inputSchema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { a: { $ref: '#/$defs/x' } },
    $defs: { x: {} },
    required: ['a'],
  };
  expect(define({ inputSchema }).anthropic[0]?.input_schema).toEqual(inputSchema);
});

test.each([
  [{ description: 'finds', title: 'Search' }, 'finds'],
  [{ title: 'Search' }, 'Search'],
  [{}, 'search'],
])('%j is described as %s', (more, description) => {
  expect(define(more).openai[0]?.function.description).toBe(description);
});

test('the plain form keeps what else the server said', () => {
  expect(define({ annotations: { readOnlyHint: true }, _meta: { a: 1 } }).mcp).toEqual([
    {
      name: 'mcp_s__search',
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
      _meta: { a: 1 },
    },
  ]);
});

test('a name that means something to objects is only a name', () => {
  const { aiSdk } = toDefinitions([{ name: '__proto__', source: 's', tool: tool({}) }]);
  expect(Object.hasOwn(aiSdk, '__proto__')).toBe(true);
});
