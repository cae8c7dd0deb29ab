import type { Agent } from '../agents/index.js';
import type { AgentAddition } from '../contract/index.js';
import type { CredentialStore } from '../credentials/index.js';
import { HubError, invalidField, isName, NAME_RULE, toAgentId, type TicketStore } from '../kernel/index.js';
import { toActor, type AdminCaller } from './admin.js';
import { agentTurn, type AgentWriteDependencies } from './agent-writes.js';
import { recordHash } from './record-hash.js';
import { keptOfAgent } from './kept-of-agent.js';
import type { TaskDesk } from './tasks/task-desk.js';

export interface AddAgentDependencies extends AgentWriteDependencies {
  readonly credentialStore: Pick<CredentialStore, 'removeAllOf'>;
  readonly tickets: Pick<TicketStore, 'removeGroup'>;
  readonly tasks: Pick<TaskDesk, 'removeAllOf'>;
}

export type AddAgent = (request: {
  readonly by: AdminCaller;
  readonly input: AgentAddition;
}) => Promise<Agent>;

/** The word stands for the credential that belongs to no agent. */
const RESERVED = 'shared';

export function createAddAgent(deps: AddAgentDependencies): AddAgent {
  return async function addAgent({ by, input }) {
    if (!isName(input.id)) throw invalidField('id', `must have ${NAME_RULE}`);
    if (input.id === RESERVED) throw invalidField('id', `"${RESERVED}" cannot be an agent's id`);
    const id = toAgentId(input.id);
    return deps.turns(agentTurn(id), async () => {
      if ((await deps.agents.find(id)) !== undefined)
        throw new HubError('conflict', `there is already an agent ${id}`);
      const now = deps.clock.now();
      const { name = input.id, enabled = true, tags = [] } = input;
      const agent: Agent = {
        id,
        name,
        enabled,
        tags,
        source: 'stored',
        version: 1,
        createdAt: now,
        updatedAt: now,
      };
      // A new agent must not inherit what an earlier one with its name left behind, nor the programs that acted as that.
      await deps.credentialStore.removeAllOf(id);
      await deps.tickets.removeGroup(keptOfAgent(id));
      await deps.tasks.removeAllOf(id);
      await deps.clients.endAllOf(id);
      await deps.agentStore.add(agent);
      deps.authenticator.forget();
      deps.events.append(toActor(by), {
        type: 'agent.added',
        agent: id,
        before: recordHash(undefined),
        after: recordHash(agent),
      });
      return agent;
    });
  };
}
