import { INVALID_PARAMS, ProtocolError, type ErrorObject, type JsonObject } from '../../jsonrpc/index.js';
import { isEnded, type InputRequest, type TaskState } from '../../model/index.js';
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
    await Promise.all(
      fresh.map(([key, { method, params }]) =>
        answer(port, request, taskId, key, { method, params: withRelatedTask(params, taskId) }),
      ),
    );
  }
}

/** Each answer is passed on when it comes, and so is an error instead of one. */
async function answer(
  port: TaskPort,
  request: McpRequest,
  taskId: string,
  key: string,
  question: InputRequest,
): Promise<void> {
  const refused: ErrorObject[] = [];
  const responses = await request
    .askClient({ [key]: question }, undefined, (error) => refused.push(error.toErrorObject()))
    .catch((error: unknown) => {
      if (refused.length === 0) throw error;
      return {};
    });
  const [refusal] = refused;
  await port.update(request, taskId, responses, refusal && { [key]: refusal });
}

function endOf({ taskId, result, error }: TaskState): JsonObject {
  if (result !== undefined) return withRelatedTask(result, taskId);
  if (error !== undefined) throw new ProtocolError(error.code, error.message, error.data);
  throw new ProtocolError(INVALID_PARAMS, 'The task was cancelled');
}
