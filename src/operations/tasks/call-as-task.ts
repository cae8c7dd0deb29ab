import type { ToolEntry } from '../../catalog/index.js';
import { HubError } from '../../kernel/index.js';
import { supportsTasks, type CallResult } from '../../mcp/model/index.js';
import type { ToolCall } from '../call-tool.js';
import type { TaskDesk } from './task-desk.js';
import type { BegunCall } from './task-request.js';

/** Where there is no room for one more task, the end is waited for; whoever wants nothing but a task is told. */
export async function withRoom(
  { tasks }: { readonly tasks: Pick<TaskDesk, 'hasRoom'> },
  call: ToolCall,
  { snapshot }: ToolEntry,
): Promise<ToolCall> {
  const { wanted = false } = call.tasks ?? {};
  if (!wanted && !supportsTasks(snapshot.upstream.capabilities)) return { ...call, tasks: undefined };
  if (await tasks.hasRoom(call.agent.id)) return call;
  if (wanted)
    throw new HubError('overloaded', 'Too many tasks; wait for one of them to end, or call without a task');
  return { ...call, tasks: undefined };
}

/** Whoever wants nothing but a task gets one that has ended. */
export async function keepAsTask(
  { tasks }: { readonly tasks: Pick<TaskDesk, 'keep'> },
  call: BegunCall,
  result: CallResult,
): Promise<never> {
  const handle: unknown = await tasks.keep(call, result);
  throw handle;
}
