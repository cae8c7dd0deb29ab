import type { Agent } from '../agents/index.js';
import type { AgentPatch } from '../contract/index.js';
import type { AgentId } from '../kernel/index.js';
import { toActor, type AdminCaller } from './admin.js';
import { agentTurn, requireStoredAgent, type AgentWriteDependencies } from './agent-writes.js';
import { lastWins } from './last-wins.js';
import { recordHash } from './record-hash.js';

export type ChangeAgent = (request: {
  readonly by: AdminCaller;
  readonly id: AgentId;
  readonly patch: AgentPatch;
  readonly expectedVersion?: number;
}) => Promise<Agent>;

export function createChangeAgent(deps: AgentWriteDependencies): ChangeAgent {
  return ({ by, id, patch, expectedVersion }) =>
    deps.turns(
      agentTurn(id),
      lastWins(expectedVersion, async () => {
        const before = await requireStoredAgent(deps, id, expectedVersion);
        const { name = before.name, enabled = before.enabled, tags = before.tags } = patch;
        const after: Agent = {
          ...before,
          name,
          enabled,
          tags,
          source: 'stored',
          version: before.version + 1,
          updatedAt: deps.clock.now(),
        };
        await deps.agentStore.replace(after, before.version);
        deps.authenticator.forget();
        if (!enabled) await deps.sessions.endAllOf({ kind: 'agent', id });
        if (!enabled) await deps.clients.endAllOf(id);
        deps.events.append(toActor(by), {
          type: 'agent.changed',
          agent: id,
          before: recordHash(before),
          after: recordHash(after),
        });
        return after;
      }),
    );
}
