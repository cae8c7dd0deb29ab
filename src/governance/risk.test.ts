import { expect, test } from 'vitest';
import { flagsOf, riskOf } from './risk.js';

const tool = (annotations?: object) => ({ name: 't', inputSchema: { type: 'object' as const }, annotations });

test.each<[object | undefined, object, string]>([
  [undefined, { readOnly: false, destructive: true, idempotent: false, openWorld: true }, 'destructive'],
  [{}, { readOnly: false, destructive: true, idempotent: false, openWorld: true }, 'destructive'],
  [{ readOnlyHint: true }, { readOnly: true, destructive: false }, 'read'],
  [{ readOnlyHint: true, destructiveHint: true }, { readOnly: true, destructive: false }, 'read'],
  [{ destructiveHint: false, idempotentHint: true }, { destructive: false, idempotent: true }, 'write'],
  [{ openWorldHint: false }, { openWorld: false, destructive: true }, 'destructive'],
])('an upstream that claims %j', (annotations, flags, risk) => {
  const found = flagsOf(tool(annotations) as never);
  expect(found).toMatchObject(flags);
  expect(riskOf(found, ['other', 'risk:', 'risk:none'])).toBe(risk);
});

test.each([
  [['risk:read'], 'read'],
  [['risk:write'], 'write'],
  [['a', 'risk:destructive'], 'destructive'],
  [['risk:read', 'risk:write'], 'write'],
  [['risk:read', 'risk:destructive', 'risk:write'], 'destructive'],
])("the operator's tags %j win", (tags, risk) => {
  expect(riskOf(flagsOf(tool({ readOnlyHint: true }) as never), tags)).toBe(risk);
  expect(riskOf(flagsOf(tool() as never), tags)).toBe(risk);
});
