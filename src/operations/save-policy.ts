import type { Policy } from '../governance/index.js';
import { HubError, invalidField, isHubError, isName, NAME_RULE, toPolicyId } from '../kernel/index.js';
import { requireVersion, toActor, type AdminCaller } from './admin.js';
import {
  POLICY_TURN,
  requireStoredPolicy,
  requireValidSet,
  type PolicyWriteDependencies,
} from './policy-writes.js';
import { lastWins } from './last-wins.js';
import { recordHash } from './record-hash.js';

export type SavePolicy = (request: {
  readonly by: AdminCaller;
  readonly id: string;
  readonly text: string;
  /** Whether there may be one already. */
  readonly replace: boolean;
  readonly expectedVersion?: number;
}) => Promise<{ readonly policy: Policy; readonly created: boolean }>;

/** Checks the whole set with the change in it, keeps the change, then puts the set in force. A refused one changes nothing. */
export function createSavePolicy(deps: PolicyWriteDependencies): SavePolicy {
  return async function savePolicy({ by, id: name, text, replace, expectedVersion }) {
    if (!isName(name)) throw invalidField('id', `must have ${NAME_RULE}`);
    const id = toPolicyId(name);
    const change = async () => {
      const before = await requireStoredPolicy(deps, id);
      if (before !== undefined && !replace) throw new HubError('conflict', `there is already a policy ${id}`);
      requireVersion(before?.version ?? 0, expectedVersion);
      // Numbers go on where one of this name ended: nothing that was kept is overwritten, and no old tag fits again.
      const [last] = await deps.policyStore.versions(id, { limit: 1 });
      const policy: Policy = {
        id,
        text,
        source: 'stored',
        version: Math.max(before?.version ?? 0, last?.version ?? 0) + 1,
        updatedAt: deps.clock.now(),
      };
      const others = (await deps.policies.list()).filter((other) => other.id !== id);
      const enforce = await requireValidSet([...others, policy], deps.policy);
      await (before === undefined
        ? deps.policyStore.add(policy, by.id).catch((error: unknown) => failAdding(error, replace))
        : deps.policyStore.replace(policy, before.version, by.id));
      enforce();
      deps.policyChanged();
      deps.events.append(toActor(by), {
        type: 'policy.changed',
        policy: id,
        version: policy.version,
        before: recordHash(before),
        after: recordHash(policy),
      });
      return { policy, created: before === undefined };
    };
    return deps.turns(POLICY_TURN, lastWins(expectedVersion, change));
  };
}

/** Where one may be replaced, one that somebody else has just added is no obstacle. */
function failAdding(error: unknown, mayReplace: boolean): never {
  if (!mayReplace || !isHubError(error, 'conflict')) throw error;
  throw new HubError('precondition_failed', 'it was changed meanwhile: read it again', { cause: error });
}
