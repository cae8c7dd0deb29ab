import { INVALID_PARAMS, ProtocolError, type JsonObject } from '../../jsonrpc/index.js';
import { isEnded, type InputRequests, type TaskState } from '../../model/index.js';
import { toLegacyTask, withRelatedTask } from '../../wire/index.js';
import type { Handler, McpRequest } from '../handler.js';
import { idOf } from './modern-tasks.js';
import type { TaskPort } from './task-port.js';

/** The methods of the one legacy revision that had tasks. */
export function legacyTaskHandlers(port: TaskPort): ReadonlyMap<string, Handler> {
  return new Map<string, Handler>([
    ['tasks/get', async (request) => toLegacyTask(await port.get(request, idOf(request)))],
    ['tasks/result', (request) => resultOf(port, request)],
    [
      'tasks/cancel',
      async (request) => {
        const { before, now } = await port.cancel(request, idOf(request), true);
        if (isEnded(before.status))
          throw new ProtocolError(INVALID_PARAMS, `The task is ${before.status} already`);
        return toLegacyTask(now);
      },
    ],
    [
      'tasks/list',
      async (request) => {
        const { cursor } = request.params;
        const page = await port.list(request, typeof cursor === 'string' ? cursor : undefined);
        const { nextCursor } = page;
        return { tasks: page.tasks.map(toLegacyTask), ...(nextCursor !== undefined && { nextCursor }) };
      },
    ],
  ]);
}

/** Open until the task has ended. What it asks meanwhile is asked on the stream of this request. */
async function resultOf(port: TaskPort, request: McpRequest): Promise<JsonObject> {
  const taskId = idOf(request);
  const answered = new Set<string>();
  for (;;) {
    const state = await port.settled(request, taskId, answered);
    if (isEnded(state.status)) return endOf(state);
    const fresh = Object.entries(state.inputRequests ?? {}).filter(([key]) => !answered.has(key));
    for (const [key] of fresh) answered.add(key);
    const questions: InputRequests = Object.fromEntries(
      fresh.map(([key, { method, params }]) => [key, { method, params: withRelatedTask(params, taskId) }]),
    );
    await port.update(request, taskId, await request.askClient(questions));
  }
}

function endOf({ taskId, result, error }: TaskState): JsonObject {
  if (result !== undefined) return withRelatedTask(result, taskId);
  if (error !== undefined) throw new ProtocolError(error.code, error.message, error.data);
  throw new ProtocolError(INVALID_PARAMS, 'The task was cancelled');
}
