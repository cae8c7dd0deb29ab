import type { EventLog, Policy, PolicyDirectory, PolicyEngine, PolicyStore } from '../governance/index.js';
import { HubError, isHubError, type Clock, type PolicyId } from '../kernel/index.js';
import type { Turns } from './turns.js';

export interface PolicyWriteDependencies {
  readonly policies: PolicyDirectory;
  readonly policyStore: PolicyStore;
  readonly policy: PolicyEngine;
  readonly events: Pick<EventLog, 'append'>;
  readonly turns: Turns;
  readonly clock: Clock;
  /** Told after every change: what agents see may be different now. */
  readonly policyChanged: () => void;
}

/** The set is judged as a whole, so all changes of policies take turns. */
export const POLICY_TURN = 'policies';

/** Nothing to do where there is no such policy yet. */
export async function requireStoredPolicy(
  deps: PolicyWriteDependencies,
  id: PolicyId,
): Promise<Policy | undefined> {
  const policy = await deps.policies.find(id);
  if (policy === undefined) return undefined;
  if (policy.source === 'file')
    throw new HubError('conflict', `policy ${id} comes from a file: change it there`);
  if ((await deps.policyStore.find(id)) === undefined)
    throw new HubError('conflict', `policy ${id} is built in and cannot be changed`);
  return policy;
}

/** What is in force stays untouched until what this answers is called. */
export async function requireValidSet(
  policies: readonly Policy[],
  engine: PolicyEngine,
): Promise<() => void> {
  try {
    return await engine.prepare(policies);
  } catch (error) {
    if (!isHubError(error, 'config_invalid')) throw error;
    throw new HubError('invalid_request', error.message, {
      cause: error,
      details: { field: 'text', ...error.details },
    });
  }
}
