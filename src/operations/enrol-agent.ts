import type { Agent, AgentReader, AgentStore, EnrolAgent } from '../agents/index.js';
import type { CredentialStore } from '../credentials/index.js';
import type { EventLog } from '../governance/index.js';
import { isHubError, type Clock, type TaskStore, type TicketStore } from '../kernel/index.js';
import type { ClientApprovals } from './client-approvals.js';
import { recordHash } from './record-hash.js';
import { keptOfAgent } from './kept-of-agent.js';
import { recordTaskEnd } from './tasks/record-task-end.js';

export interface EnrolAgentDependencies {
  readonly agents: Pick<AgentReader, 'find'>;
  readonly agentStore: Pick<AgentStore, 'add'>;
  readonly credentialStore: Pick<CredentialStore, 'removeAllOf'>;
  readonly tickets: Pick<TicketStore, 'removeGroup'>;
  readonly taskStore: Pick<TaskStore, 'takeAllOf'>;
  readonly clients: Pick<ClientApprovals, 'endAllOf'>;
  readonly events: Pick<EventLog, 'append'>;
  readonly clock: Clock;
}

/** Makes an agent for somebody whose token an issuer signed. What it may do is for the policies to say, by its tags. */
export function createEnrolAgent(deps: EnrolAgentDependencies): EnrolAgent {
  return async function enrolAgent({ id, name, tags }) {
    const now = deps.clock.now();
    const agent: Agent = {
      id,
      name,
      enabled: true,
      tags,
      source: 'stored',
      version: 1,
      createdAt: now,
      updatedAt: now,
    };
    try {
      // It must not inherit what an earlier one with its name left behind, nor the programs that acted as that.
      await deps.credentialStore.removeAllOf(id);
      await deps.tickets.removeGroup(keptOfAgent(id));
      for (const task of await deps.taskStore.takeAllOf(id))
        if (!task.finished) recordTaskEnd(deps, task, { outcome: 'cancelled' });
      await deps.clients.endAllOf(id);
      await deps.agentStore.add(agent);
    } catch (error) {
      // Two first requests at once: one makes it, both have it.
      const other = isHubError(error, 'conflict') ? await deps.agents.find(id) : undefined;
      if (other === undefined) throw error;
      return other;
    }
    deps.events.append(
      { kind: 'hub' },
      { type: 'agent.added', agent: id, before: recordHash(undefined), after: recordHash(agent) },
    );
    return agent;
  };
}
