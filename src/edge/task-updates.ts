import type { Agent } from '../agents/index.js';
import type { SurfaceScope } from '../catalog/index.js';
import type { TaskState } from '../mcp/model/index.js';
import { writeTaskState } from '../mcp/wire/index.js';
import type { ListenRequest, Subscription } from '../mcp/server/index.js';
import type { TaskDesk } from '../operations/index.js';

export interface FollowedTasks {
  /** As it is now. */
  readonly agentOf: () => Agent;
  readonly scope: SurfaceScope;
  readonly taskIds: readonly string[];
  readonly request: ListenRequest;
}

/**
 * Tells a listening client whenever one of its tasks changes. Tasks of others, and those that cannot be looked up now, are
 * left out of what is honoured.
 */
export async function followTasks(
  tasks: Pick<TaskDesk, 'watch'>,
  { agentOf, scope, taskIds, request }: FollowedTasks,
): Promise<Subscription> {
  const asked = {
    get agent() {
      return agentOf();
    },
    scope,
    capabilities: {},
  };
  const stops = new Map<string, () => void>();
  for (const id of taskIds) {
    const tell = (state: TaskState): void =>
      request.emit({ method: 'notifications/tasks', params: writeTaskState(state) });
    const stop = await tasks.watch(asked, id, tell).catch(() => undefined);
    if (stop !== undefined) stops.set(id, stop);
  }
  return {
    honoured: stops.size === 0 ? {} : { taskIds: [...stops.keys()] },
    close() {
      for (const stop of stops.values()) stop();
    },
  };
}
