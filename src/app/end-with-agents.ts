import type { Hub } from './compose.js';
import { RepeatedTask } from './repeated-task.js';

/**
 * What is kept open for agents that are no more, or are switched off, ends with them, in every process: conversations of
 * their own with upstreams, and calls that wait for their answers. Another agent may get the name. Answers how to stop.
 */
export function endWithAgents(hub: Hub): () => void {
  const task = new RepeatedTask(
    () => endForsaken(hub),
    hub.logger,
    'it could not be found out which agents are no more; it is tried again',
  );
  const stop = hub.agentsChanged.on(() => task.request());
  return () => {
    stop();
    task.stop();
  };
}

async function endForsaken({ agents, upstreams, held }: Hub): Promise<void> {
  const owners = new Set([...upstreams.owners(), ...held.owners()]);
  if (owners.size === 0) return;
  for (const { id, enabled } of await agents.list()) if (enabled) owners.delete(id);
  for (const gone of owners) {
    held.endAllOf(gone);
    upstreams.endAllOf(gone);
  }
}
