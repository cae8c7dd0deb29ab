import { expect, test } from 'vitest';
import { turnsDuring } from '../../test/support/turns-during.js';
import { createPolicyEngine, type AcceptedPolicies, type Policy } from '../governance/index.js';
import { systemClock, toAgentId, toConnectorId, toPolicyId } from '../kernel/index.js';
import { loadPolicies } from './apply-config.js';
import type { Hub } from './compose.js';
import type { Config } from './config/config.js';

const CALL = {
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
} as const;
const PERMIT = 'permit(principal, action, resource);';
const FORBID = 'forbid(principal, action, resource);';

function setUp(accepted?: AcceptedPolicies) {
  const policy = createPolicyEngine({ clock: systemClock, ...(accepted && { accepted }) });
  let text = PERMIT;
  const told: string[] = [];
  const hub = {
    policy,
    storage: { policies: { list: async () => [] } },
    policies: { configure: () => {} },
    policyChanged: { emit: () => told.push(policy.decide(CALL).kind) },
  } as unknown as Hub;
  const document = (): Policy => ({
    id: toPolicyId('mine'),
    text,
    source: 'file',
    version: 1,
    updatedAt: 0,
  });
  return {
    policy,
    told,
    load: (next: string) => {
      text = next;
      return loadPolicies(hub, { policies: [document()] } as unknown as Config);
    },
  };
}

const KNOWS_ALL: AcceptedPolicies = { isKnown: () => true, remember: () => {} };

test.each([
  ['that is new', undefined],
  ['that was accepted before', KNOWS_ALL],
])(
  'a long set of policies %s lets others have their turn, and is whole when it counts',
  async (_, accepted) => {
    const { policy, load, told } = setUp(accepted);
    await load(PERMIT);
    const seen = new Set<string>();
    const watching = setInterval(() => seen.add(policy.decide(CALL).kind), 0);
    const { turns } = await turnsDuring(() => load(`${PERMIT}\n`.repeat(900) + FORBID));
    clearInterval(watching);
    expect(turns).toBeGreaterThan(5);
    expect([...seen]).toEqual(['allow']);
    expect(told).toEqual(['allow', 'deny']);
  },
);

test('one that cannot be read leaves what is in force as it was', async () => {
  const { policy, load, told } = setUp();
  await load(FORBID);
  await expect(load('permit(principal);')).rejects.toMatchObject({ code: 'config_invalid' });
  expect([policy.version, policy.decide(CALL).kind, told]).toEqual([1, 'deny', ['deny']]);
});
