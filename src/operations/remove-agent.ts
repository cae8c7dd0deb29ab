import type { CredentialStore } from '../credentials/index.js';
import type { AgentId } from '../kernel/index.js';
import { toActor, type AdminCaller } from './admin.js';
import { agentTurn, requireStoredAgent, type AgentWriteDependencies } from './agent-writes.js';
import { recordHash } from './record-hash.js';

export interface RemoveAgentDependencies extends AgentWriteDependencies {
  readonly credentialStore: Pick<CredentialStore, 'removeAllOf'>;
}

export type RemoveAgent = (request: {
  readonly by: AdminCaller;
  readonly id: AgentId;
  readonly expectedVersion?: number;
}) => Promise<void>;

/** With its keys and its accounts at upstreams. */
export function createRemoveAgent(deps: RemoveAgentDependencies): RemoveAgent {
  return ({ by, id, expectedVersion }) =>
    deps.turns(agentTurn(id), async () => {
      const before = await requireStoredAgent(deps, id, expectedVersion);
      await deps.credentialStore.removeAllOf(id);
      await deps.agentStore.remove(id);
      deps.authenticator.forget();
      deps.events.append(toActor(by), {
        type: 'agent.removed',
        agent: id,
        before: recordHash(before),
        after: recordHash(undefined),
      });
    });
}
