import { expect, test } from 'vitest';
import { turnsDuring } from '../../test/support/turns-during.js';
import { systemClock, toAgentId, toConnectorId, toPolicyId } from '../kernel/index.js';
import { cedar, giveUpCedar } from './cedar.js';
import { createPolicyEngine } from './policy-engine.js';
import type { AcceptedPolicies, Policy, PolicyQuestion } from './policy.js';

const PERMIT = 'permit(principal, action, resource);';
const FORBID = 'forbid(principal, action, resource) when { context.now > datetime("2000-01-01") };';

const policy = (text: string): Policy => ({
  id: toPolicyId('p'),
  text,
  source: 'file',
  version: 1,
  updatedAt: 0,
});

const CALL: PolicyQuestion = {
  agent: { id: toAgentId('ci'), tags: [] },
  action: 'call',
  connector: { id: toConnectorId('db'), tags: [] },
  target: {
    kind: 'tool',
    name: 'query',
    risk: 'read',
    tags: [],
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  },
};

function remembering(...known: string[]): AcceptedPolicies & { readonly known: string[] } {
  return {
    known,
    isKnown: (digest) => known.includes(digest),
    remember: (digest) => void known.push(digest),
  };
}

test('a set that was accepted is remembered, and decides alike when it is read late', () => {
  const accepted = remembering();
  for (const [text, kind] of [
    [PERMIT, 'allow'],
    [`${PERMIT}\n${FORBID}`, 'deny'],
  ] as const) {
    for (const _start of ['first', 'second']) {
      const engine = createPolicyEngine({ clock: systemClock, accepted });
      engine.load([policy(text)]);
      expect(engine.decide(CALL).kind).toBe(kind);
    }
  }
  expect(new Set(accepted.known).size).toBe(2);
  expect(accepted.known).toHaveLength(2);
});

test('a set that is refused is not remembered, and what was in force stays', () => {
  const accepted = remembering();
  const engine = createPolicyEngine({ clock: systemClock, accepted });
  engine.load([policy(PERMIT)]);
  expect(() =>
    engine.load([policy('permit(principal, action, resource) when { principal.nothing };')]),
  ).toThrow('policy p');
  expect(accepted.known).toHaveLength(1);
  expect(engine.decide(CALL).kind).toBe('allow');
});

test('nothing passes by a set that is known and cannot be read', () => {
  const accepted: AcceptedPolicies = { isKnown: () => true, remember: () => {} };
  const engine = createPolicyEngine({ clock: systemClock, accepted });
  engine.load([policy(`${PERMIT} and more`)]);
  for (const _time of ['first', 'second'])
    expect(() => engine.decide(CALL)).toThrow(expect.objectContaining({ code: 'config_invalid' }));
});

test('the policy library that checked a set at a start is not kept, and one that has decided is', () => {
  const accepted = remembering();
  const engine = createPolicyEngine({ clock: systemClock, accepted });
  const before = cedar();
  engine.load([policy(PERMIT)]);
  const deciding = cedar();
  expect(deciding).not.toBe(before);
  engine.decide(CALL);
  engine.load([policy(FORBID)]);
  expect(cedar()).toBe(deciding);
});

test('decisions are the same when the policy library was given up in between', () => {
  const engine = createPolicyEngine({ clock: systemClock });
  const other = createPolicyEngine({ clock: systemClock });
  const argument = 'when { context has args && context.args.hasTag("sql") }';
  engine.load([policy(`permit(principal, action, resource) ${argument};`)]);
  other.load([policy(`${PERMIT}\nforbid(principal, action, resource) ${argument};`)]);
  for (const _time of ['first', 'second', 'third']) {
    for (const [args, kind, otherKind] of [
      [{ sql: '1' }, 'allow', 'deny'],
      [{}, 'deny', 'allow'],
    ] as const) {
      expect(engine.decide({ ...CALL, args }).kind).toBe(kind);
      expect(other.decide({ ...CALL, args }).kind).toBe(otherKind);
    }
    giveUpCedar();
  }
});

test('a set that is prepared lets others have their turn, is in force when that is said, and is not read again', async () => {
  for (const accepted of [undefined, remembering()]) {
    const engine = createPolicyEngine({ clock: systemClock, ...(accepted !== undefined && { accepted }) });
    engine.load([policy(PERMIT)]);
    const { turns, outcome: enforce } = await turnsDuring(() =>
      engine.prepare([policy(`${PERMIT}\n`.repeat(900) + FORBID)]),
    );
    expect(turns).toBeGreaterThan(3);
    expect(engine.decide(CALL).kind).toBe('allow');
    enforce();
    expect(engine.decide(CALL).kind).toBe('deny');
    await expect(engine.prepare([policy('permit(principal, action);')])).rejects.toMatchObject({
      code: 'config_invalid',
    });
    expect(engine.decide(CALL).kind).toBe('deny');
  }
});
