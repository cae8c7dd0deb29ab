import { HubError, type AgentId, type KeyId } from '../kernel/index.js';
import { toActor, type AdminCaller } from './admin.js';
import { recordHash } from './record-hash.js';
import { agentTurn, requireStoredAgent, type AgentWriteDependencies } from './agent-writes.js';

export type RevokeAgentKey = (request: {
  readonly by: AdminCaller;
  readonly agent: AgentId;
  readonly key: KeyId;
}) => Promise<void>;

/** From the next request on the key is nobody's. */
export function createRevokeAgentKey(deps: AgentWriteDependencies): RevokeAgentKey {
  return ({ by, agent, key }) =>
    deps.turns(agentTurn(agent), async () => {
      await requireStoredAgent(deps, agent);
      const before = (await deps.agentStore.listKeys(agent)).find(({ id }) => id === key);
      if (!(await deps.agentStore.removeKey(agent, key)))
        throw new HubError('not_found', 'there is no such key');
      deps.authenticator.forget();
      // Whoever had the key may have let programs in with it.
      await deps.clients.endAllOf(agent);
      deps.events.append(toActor(by), {
        type: 'key.revoked',
        agent,
        key,
        before: recordHash(before),
        after: recordHash(undefined),
      });
    });
}
