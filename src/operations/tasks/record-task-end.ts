import type { EventLog } from '../../governance/index.js';
import type { Clock, TaskRecord } from '../../kernel/index.js';
import type { TaskEnding } from './live-task.js';

/** Writes down how the call ended that became a task. For whoever the store says is to do so. */
export function recordTaskEnd(
  { events, clock }: { readonly events: Pick<EventLog, 'append'>; readonly clock: Clock },
  { agent, callId, connector, tool, exposedName, createdAt }: TaskRecord,
  ending: TaskEnding,
): void {
  const facts = { callId, connector, target: tool, exposedName, method: 'tools/call' };
  const durationMs = Math.max(0, clock.now() - createdAt);
  events.append({ kind: 'agent', id: agent }, { type: 'call.finished', ...facts, ...ending, durationMs });
}
