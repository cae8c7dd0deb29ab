import { HubError, type AgentId } from '../kernel/index.js';
import type { Agent, AgentKey, AgentReader, AgentStore } from './agent.js';

/**
 * Agents of the configuration together with stored ones. An id in the configuration hides a stored one. Whoever asks for
 * one gets the same object while nothing about it changes, so that caches can compare by identity.
 */
export interface AgentDirectory extends AgentReader {
  require(id: AgentId): Promise<Agent>;
  /** Replaces the configured part. */
  configure(agents: readonly ConfiguredAgent[]): void;
}

export interface ConfiguredAgent {
  readonly agent: Agent;
  readonly keys: readonly AgentKey[];
}

const MOST_KEPT = 10_000;

export function createAgentDirectory(store: AgentStore): AgentDirectory {
  let configured = new Map<AgentId, ConfiguredAgent>();
  let byDigest = new Map<string, { agent: Agent; key: AgentKey }>();

  const kept = new Map<AgentId, Agent>();

  function keptAs(stored: Agent): Agent {
    const before = kept.get(stored.id);
    if (before !== undefined && isUnchanged(before, stored)) return before;
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(stored.id, stored);
    return stored;
  }

  async function find(id: AgentId): Promise<Agent | undefined> {
    const own = configured.get(id);
    if (own !== undefined) return own.agent;
    const stored = await store.find(id);
    return stored && keptAs(stored);
  }

  return {
    async list() {
      const stored = (await store.list()).filter(({ id }) => !configured.has(id));
      return [...[...configured.values()].map(({ agent }) => agent), ...stored].toSorted((a, b) =>
        a.id < b.id ? -1 : 1,
      );
    },
    find,
    async require(id) {
      const agent = await find(id);
      if (agent === undefined) throw new HubError('not_found', `there is no agent ${id}`);
      return agent;
    },
    async listKeys(id) {
      return [...(configured.get(id)?.keys ?? []), ...(await store.listKeys(id))];
    },
    async findByKeyDigest(digest) {
      const own = byDigest.get(digest);
      if (own !== undefined) return own;
      const stored = await store.findByKeyDigest(digest);
      if (stored === undefined) return undefined;
      const agent = configured.get(stored.agent.id)?.agent ?? keptAs(stored.agent);
      return { agent, key: stored.key };
    },
    configure(agents) {
      configured = new Map();
      // A later one with the same id takes the place of the earlier, whose keys lead to it from now on.
      for (const { agent, keys } of agents) {
        configured.set(agent.id, { agent, keys: [...(configured.get(agent.id)?.keys ?? []), ...keys] });
      }
      const all = [...configured.values()];
      byDigest = new Map(
        all.flatMap(({ agent, keys }) => keys.map((key) => [key.digest, { agent, key }] as const)),
      );
    },
  };
}

/** Versions begin anew when something is removed and made again, within a moment perhaps. */
function isUnchanged(one: Agent, other: Agent): boolean {
  return (
    one.version === other.version &&
    one.createdAt === other.createdAt &&
    one.updatedAt === other.updatedAt &&
    one.name === other.name &&
    one.enabled === other.enabled &&
    one.tags.join('\n') === other.tags.join('\n')
  );
}
