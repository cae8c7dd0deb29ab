import { describe, expect, test } from 'vitest';
import { systemClock, toAgentId, toConnectorId, toPolicyId } from '../kernel/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';
import { createPolicyEngine } from './policy-engine.js';
import type { Policy, PolicyQuestion } from './policy.js';

const ALL = 'permit(principal, action, resource);';
const NO_LEAK =
  'forbid(principal, action == Action::"call", resource) when { context.seen.contains("untrusted") };';
const BY_ARGUMENTS =
  'forbid(principal, action, resource) when { context has args && context.args.hasTag("bad") };';

const policies = (...texts: string[]): Policy[] =>
  texts.map((text, index) => ({
    id: toPolicyId(`p${index}`),
    text,
    source: 'file',
    version: 1,
    updatedAt: 0,
  }));

function engineWith(...texts: string[]) {
  const engine = createPolicyEngine({ clock: systemClock, toolsetsOf: () => [] });
  engine.load(policies(...texts));
  return engine;
}

const AGENT = { id: toAgentId('ci'), tags: [] };
const CONNECTOR = { id: toConnectorId('mail'), tags: [] };
const TARGET: PolicyQuestion['target'] = {
  kind: 'tool',
  name: 'send',
  risk: 'write',
  tags: [],
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
};

const after = (seen: readonly string[] | undefined, args: JsonObject = {}): PolicyQuestion => ({
  agent: AGENT,
  action: 'call',
  connector: CONNECTOR,
  target: TARGET,
  args,
  ...(seen && { seen }),
});

describe('B1.12: whether policies look back', () => {
  test.each([
    ['no policy', [], false],
    [
      'arguments and time',
      [ALL, BY_ARGUMENTS, `${ALL.slice(0, -1)} when { context.now > datetime("2020-01-01") };`],
      false,
    ],
    [
      'a word that only looks like it',
      [`${ALL.slice(0, -1)} when { resource == Tool::"context.seen/x" };`],
      false,
    ],
    ['a forbid', [ALL, NO_LEAK], true],
    ['a permit', [`${ALL.slice(0, -1)} unless { context.seen.isEmpty() };`], true],
    ['by another notation', [`${ALL.slice(0, -1)} when { context["seen"].contains("a") };`], true],
    [
      'beside arguments',
      [`${ALL.slice(0, -1)} when { context has args && context.seen.contains("a") };`],
      true,
    ],
    [
      'hidden in a choice',
      [`${ALL.slice(0, -1)} when { (if true then context else context).seen.contains("a") };`],
      true,
    ],
  ])('%s', (_what, texts, looksBack) => {
    expect(engineWith(...texts).looksBack).toBe(looksBack);
  });

  test('is known anew with every set of policies', () => {
    const engine = engineWith(ALL);
    expect(engine.looksBack).toBe(false);
    engine.load(policies(ALL, NO_LEAK));
    expect(engine.looksBack).toBe(true);
    engine.load(policies(ALL));
    expect(engine.looksBack).toBe(false);
  });
});

describe('B1.12: decisions about flows', () => {
  test('are remembered by what was used, and not for anything else', () => {
    const engine = engineWith(ALL, NO_LEAK);
    for (let round = 0; round < 2; round++) {
      expect(engine.decide(after([])).kind).toBe('allow');
      expect(engine.decide(after(['untrusted'])).kind).toBe('deny');
      expect(engine.decide(after(['other', 'untrusted'])).kind).toBe('deny');
      expect(engine.decide(after(['other'])).kind).toBe('allow');
      expect(engine.decide(after(['other,untrusted'])).kind).toBe('allow');
    }
  });

  test('are right beside policies about arguments', () => {
    const engine = engineWith(ALL, NO_LEAK, BY_ARGUMENTS);
    expect(engine.decide(after([])).kind).toBe('allow');
    expect(engine.decide(after(['untrusted']))).toMatchObject({ kind: 'deny', isFlow: true });
    const byArguments = engine.decide(after([], { bad: 1 }));
    expect([byArguments.kind, byArguments.isFlow]).toEqual(['deny', undefined]);
  });

  test('say so, and not what else was used', () => {
    expect(engineWith(ALL, NO_LEAK).decide(after(['private', 'untrusted']))).toEqual({
      kind: 'deny',
      policies: ['p1/1'],
      reason: 'forbidden by p1/1, because of what this conversation has used before',
      isFlow: true,
    });
  });

  test('of a permit that ends with what is used are denials of a flow', () => {
    const engine = engineWith(`${ALL.slice(0, -1)} unless { context.seen.contains("untrusted") };`);
    expect(engine.decide(after([])).kind).toBe('allow');
    expect(engine.decide(after(['untrusted']))).toMatchObject({ kind: 'deny', policies: [], isFlow: true });
  });

  test('are none where the call is denied anyhow', () => {
    const forbidden = engineWith(ALL, NO_LEAK, 'forbid(principal, action, resource);');
    expect(forbidden.decide(after(['untrusted'])).isFlow).toBeUndefined();
    const unmatched = engineWith('permit(principal == Agent::"x", action, resource);', NO_LEAK);
    expect(unmatched.decide(after(['other']))).toMatchObject({ kind: 'deny', policies: [] });
    expect(unmatched.decide(after(['other'])).isFlow).toBeUndefined();
  });

  test('cannot be made by who does not know what was used', () => {
    expect(engineWith(ALL, NO_LEAK).decide(after(undefined))).toMatchObject({
      kind: 'deny',
      reason: expect.stringContaining('failed to evaluate') as string,
    });
  });

  test('a tool that is forbidden only after another stays in lists', () => {
    const engine = engineWith(ALL, NO_LEAK);
    expect(engine.decide({ agent: AGENT, action: 'list', connector: CONNECTOR, target: TARGET }).kind).toBe(
      'allow',
    );
  });
});
