import { createAgentKey, type AgentKey } from '../agents/index.js';
import { HubError, invalidField, type AgentId, type Secret } from '../kernel/index.js';
import { toActor, type AdminCaller } from './admin.js';
import { recordHash } from './record-hash.js';
import { agentTurn, requireStoredAgent, type AgentWriteDependencies } from './agent-writes.js';

export type AddAgentKey = (request: {
  readonly by: AdminCaller;
  readonly agent: AgentId;
  readonly expiresAt?: number;
}) => Promise<{ readonly key: AgentKey; readonly secret: Secret }>;

/** More than one is for changing keys without a gap; a hundred is a mistake. */
const MAX_KEYS = 100;

export function createAddAgentKey(deps: AgentWriteDependencies): AddAgentKey {
  return ({ by, agent, expiresAt }) =>
    deps.turns(agentTurn(agent), async () => {
      const now = deps.clock.now();
      if (expiresAt !== undefined && expiresAt <= now) throw invalidField('expiresAt', 'lies in the past');
      await requireStoredAgent(deps, agent);
      if ((await deps.agents.listKeys(agent)).length >= MAX_KEYS)
        throw new HubError('conflict', `agent ${agent} has ${MAX_KEYS} keys: revoke some first`);
      const created = createAgentKey({ agentId: agent, now, ...(expiresAt !== undefined && { expiresAt }) });
      await deps.agentStore.addKey(created.key);
      deps.authenticator.forget();
      deps.events.append(toActor(by), {
        type: 'key.added',
        agent,
        key: created.key.id,
        before: recordHash(undefined),
        after: recordHash(created.key),
      });
      return created;
    });
}
