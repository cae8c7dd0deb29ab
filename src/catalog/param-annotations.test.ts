import { expect, test } from 'vitest';
import { stripParamHeaders } from './param-annotations.js';

test('a schema without header annotations is the same object', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  expect(stripParamHeaders(schema)).toBe(schema);
});

test('annotations go at any depth, and everything else stays', () => {
  const schema = {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region', enum: ['x-mcp-header'] } },
    allOf: [{ properties: { b: { 'x-mcp-header': 'B', type: 'string' } } }],
  };
  expect(stripParamHeaders(schema)).toEqual({
    type: 'object',
    properties: { region: { type: 'string', enum: ['x-mcp-header'] } },
    allOf: [{ properties: { b: { type: 'string' } } }],
  });
});

test('a property of that name is a name, not an annotation', () => {
  const schema = {
    type: 'object',
    properties: { 'x-mcp-header': { type: 'string' } },
    required: ['x-mcp-header'],
  };
  expect(stripParamHeaders(schema)).toEqual(schema);
});
