import { checkParsePolicySet } from '@cedar-policy/cedar-wasm/nodejs';
import { expect, test } from 'vitest';
import { writePolicy, type AccessWish } from './write-policy.js';

const wish: AccessWish = { agent: 'ci', connector: 'db', tools: [], limit: 'everything' };

test('says who may use what', () => {
  expect(writePolicy(wish)).toBe('permit(principal == Agent::"ci", action, resource in Connector::"db");\n');
  expect(writePolicy({ ...wish, tools: ['query'], limit: 'read' })).toBe(
    'permit(principal == Agent::"ci", action == Action::"call", resource == Tool::"db/query")\nwhen { resource.risk == "read" };\n',
  );
});

test.each(['everything', 'read', 'confirm_writes'] as const)(
  'stays one statement for each tool, whatever an upstream calls it (%s)',
  (limit) => {
    const tools = ['query', '"); permit(principal, action, resource); //', 'a\\', 'b\n\u202E', '\u{1F600}'];
    const text = writePolicy({ ...wish, tools, limit });
    expect(checkParsePolicySet({ staticPolicies: text })).toEqual({ type: 'success' });
    expect(text.match(/^permit\(/gm)).toHaveLength(limit === 'confirm_writes' ? 10 : 5);
  },
);
