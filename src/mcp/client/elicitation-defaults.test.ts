import { expect, test } from 'vitest';
import type { JsonObject } from '../jsonrpc/index.js';
import { withFormDefaults } from './elicitation-defaults.js';

const SCHEMA = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John' },
    age: { type: 'integer', default: 0 },
    score: { type: 'number' },
    sure: { type: 'boolean', default: false },
    many: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, default: ['a'] },
  },
};

function check(params: JsonObject, answer: JsonObject, expected: JsonObject): void {
  expect(withFormDefaults({ method: 'elicitation/create', params }, answer)).toEqual(expected);
}

const rows: readonly [string, JsonObject, JsonObject, JsonObject][] = [
  [
    'an accepted form without content',
    { requestedSchema: SCHEMA },
    { action: 'accept' },
    { action: 'accept', content: { name: 'John', age: 0, sure: false, many: ['a'] } },
  ],
  [
    'what was filled in stays',
    { requestedSchema: SCHEMA },
    { action: 'accept', content: { name: '', sure: true, other: 1 } },
    { action: 'accept', content: { name: '', age: 0, sure: true, many: ['a'], other: 1 } },
  ],
  [
    'a field that is called like a member of every object',
    { requestedSchema: { properties: { constructor: { type: 'string', default: 'Gustave' } } } },
    { action: 'accept' },
    { action: 'accept', content: { constructor: 'Gustave' } },
  ],
  ['a declined form', { requestedSchema: SCHEMA }, { action: 'decline' }, { action: 'decline' }],
  ['a link', { mode: 'url', requestedSchema: SCHEMA }, { action: 'accept' }, { action: 'accept' }],
  ['no schema', {}, { action: 'accept' }, { action: 'accept' }],
  [
    'content that is no object',
    { requestedSchema: SCHEMA },
    { action: 'accept', content: 'x' },
    { action: 'accept', content: 'x' },
  ],
];
test.each(rows)('%s', (_name, params, answer, expected) => {
  check(params, answer, expected);
});

test('other requests have no defaults', () => {
  const answer = { action: 'accept' };
  expect(withFormDefaults({ method: 'roots/list', params: { requestedSchema: SCHEMA } }, answer)).toBe(
    answer,
  );
});
