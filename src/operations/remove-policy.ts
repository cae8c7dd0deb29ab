import { HubError, type PolicyId } from '../kernel/index.js';
import { requireVersion, toActor, type AdminCaller } from './admin.js';
import { POLICY_TURN, requireStoredPolicy, type PolicyWriteDependencies } from './policy-writes.js';
import { recordHash } from './record-hash.js';

export type RemovePolicy = (request: {
  readonly by: AdminCaller;
  readonly id: PolicyId;
  readonly expectedVersion?: number;
}) => Promise<void>;

export function createRemovePolicy(deps: PolicyWriteDependencies): RemovePolicy {
  return ({ by, id, expectedVersion }) =>
    deps.turns(POLICY_TURN, async () => {
      const before = await requireStoredPolicy(deps, id);
      if (before === undefined) throw new HubError('not_found', `there is no policy ${id}`);
      requireVersion(before.version, expectedVersion);
      await deps.policyStore.remove(id, { at: deps.clock.now(), by: by.id });
      const others = (await deps.policies.list()).filter((other) => other.id !== id);
      const enforce = await deps.policy.prepare(others);
      enforce();
      deps.policyChanged();
      deps.events.append(toActor(by), {
        type: 'policy.changed',
        policy: id,
        version: before.version + 1,
        before: recordHash(before),
        after: recordHash(undefined),
      });
    });
}
