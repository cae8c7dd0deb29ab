import type { Agent, AgentDirectory, AgentStore, Authenticator, BrowserSessions } from '../agents/index.js';
import type { EventLog } from '../governance/index.js';
import { HubError, type AgentId, type Clock } from '../kernel/index.js';
import { requireVersion } from './admin.js';
import type { ClientApprovals } from './client-approvals.js';
import type { Turns } from './turns.js';

export interface AgentWriteDependencies {
  readonly agents: AgentDirectory;
  readonly agentStore: AgentStore;
  /** Forgets at once what it remembers of keys and agents. */
  readonly authenticator: Pick<Authenticator, 'forget'>;
  /** Of browsers that signed in with a key of an agent. */
  readonly sessions: Pick<BrowserSessions, 'endAllOf'>;
  /** Of programs that act as an agent. */
  readonly clients: Pick<ClientApprovals, 'endAllOf'>;
  readonly events: Pick<EventLog, 'append'>;
  readonly turns: Turns;
  readonly clock: Clock;
}

export function agentTurn(id: AgentId): string {
  return `agent ${id}`;
}

/** The agent, if it is ours to change. */
export async function requireStoredAgent(
  deps: AgentWriteDependencies,
  id: AgentId,
  expectedVersion?: number,
): Promise<Agent> {
  const agent = await deps.agents.require(id);
  if (agent.source === 'file')
    throw new HubError(
      'conflict',
      `agent ${id} comes from the configuration file: change it and its keys there`,
    );
  if ((await deps.agentStore.find(id)) === undefined)
    throw new HubError('conflict', `agent ${id} is built in and cannot be changed`);
  requireVersion(agent.version, expectedVersion);
  return agent;
}
