import { HubError, type PolicyId } from '../kernel/index.js';
import type { Policy, PolicyReader } from './policy.js';

/** Policies of the configuration together with stored ones. An id in the configuration hides a stored one. */
export interface PolicyDirectory extends PolicyReader {
  require(id: PolicyId): Promise<Policy>;
  /** Replaces the configured part. */
  configure(policies: readonly Policy[]): void;
}

export function createPolicyDirectory(store: PolicyReader): PolicyDirectory {
  let configured = new Map<PolicyId, Policy>();

  async function find(id: PolicyId): Promise<Policy | undefined> {
    return configured.get(id) ?? (await store.find(id));
  }

  return {
    async list() {
      const stored = (await store.list()).filter(({ id }) => !configured.has(id));
      return [...configured.values(), ...stored].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    },
    find,
    async require(id) {
      const policy = await find(id);
      if (policy === undefined) throw new HubError('not_found', `there is no policy ${id}`);
      return policy;
    },
    configure(policies) {
      configured = new Map(policies.map((policy) => [policy.id, policy]));
    },
  };
}
