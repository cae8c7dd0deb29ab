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

/**
 * Open until the task has ended. What it asks meanwhile is asked on the stream of this request, one question beside the
 * other, and taken back when the task has ended without an answer.
 */
async function resultOf(port: TaskPort, request: McpRequest): Promise<JsonObject> {
  const taskId = idOf(request);
  const asked = new Set<string>();
  const over = new AbortController();
  const unanswered: Promise<never>[] = [];
  try {
    for (;;) {
      const state = await Promise.race([port.settled(request, taskId, asked), ...unanswered]);
      if (isEnded(state.status)) return endOf(state);
      for (const [key, { method, params }] of Object.entries(state.inputRequests ?? {})) {
        if (asked.has(key)) continue;
        asked.add(key);
        const question = { method, params: withRelatedTask(params, taskId) };
        unanswered.push(failureOf(answer(port, request, taskId, key, question, over.signal)));
      }
    }
  } finally {
    over.abort();
  }
}

/** Settles only where the work fails. */
function failureOf(work: Promise<void>): Promise<never> {
  const failure = new Promise<never>((_resolve, reject) => void work.catch(reject));
  // It may fail when nobody waits any more.
  failure.catch(() => {});
  return failure;
}

/** Each answer is passed on when it comes, and so is an error instead of one. */
async function answer(
  port: TaskPort,
  request: McpRequest,
  taskId: string,
  key: string,
  question: InputRequest,
  withdrawn: AbortSignal,
): Promise<void> {
  const refused: ErrorObject[] = [];
  const responses = await request
    .askClient({ [key]: question }, withdrawn, (error) => refused.push(error.toErrorObject()))
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
