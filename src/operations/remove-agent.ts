import type { CredentialStore } from '../credentials/index.js';
import type { EventLog } from '../governance/index.js';
import type { AgentId, TicketStore } from '../kernel/index.js';
import { toActor, type AdminCaller } from './admin.js';
import { agentTurn, requireStoredAgent, type AgentWriteDependencies } from './agent-writes.js';
import { recordHash } from './record-hash.js';
import { keptOfAgent } from './kept-of-agent.js';
import type { TaskDesk } from './tasks/task-desk.js';
import { readAccounts, revokeAccounts, type RevokeAccountsDependencies } from './revoke-accounts.js';

export interface RemoveAgentDependencies extends AgentWriteDependencies, RevokeAccountsDependencies {
  readonly events: Pick<EventLog, 'append'>;
  readonly tasks: Pick<TaskDesk, 'removeAllOf'>;
  readonly tickets: Pick<TicketStore, 'removeGroup'>;
  readonly credentialStore: Pick<CredentialStore, 'find' | 'list' | 'removeAllOf'>;
}

export type RemoveAgent = (request: {
  readonly by: AdminCaller;
  readonly id: AgentId;
  readonly expectedVersion?: number;
}) => Promise<void>;

/** With its keys, its tasks, what is kept of its calls, and its accounts at upstreams. */
export function createRemoveAgent(deps: RemoveAgentDependencies): RemoveAgent {
  return ({ by, id, expectedVersion }) =>
    deps.turns(agentTurn(id), async () => {
      const before = await requireStoredAgent(deps, id, expectedVersion);
      const accounts = await readAccounts(deps, ({ owner }) => owner.kind === 'agent' && owner.agent === id);
      await deps.credentialStore.removeAllOf(id);
      await deps.agentStore.remove(id);
      deps.authenticator.forget();
      await deps.sessions.endAllOf({ kind: 'agent', id });
      await deps.clients.endAllOf(id);
      await deps.tasks.removeAllOf(id);
      await deps.tickets.removeGroup(keptOfAgent(id));
      deps.events.append(toActor(by), {
        type: 'agent.removed',
        agent: id,
        before: recordHash(before),
        after: recordHash(undefined),
      });
      await revokeAccounts(deps, toActor(by), accounts);
    });
}
