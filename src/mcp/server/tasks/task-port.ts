import type { InputRefusals, InputResponses, Task, TaskState } from '../../model/index.js';
import type { McpRequest } from '../handler.js';
import type { MaybePromise } from '../maybe-promise.js';

/**
 * What becomes of calls that were answered with `TaskCreated`. Every method throws invalid params for a task that is not
 * known, or not the principal's.
 */
export interface TaskPort {
  get(request: McpRequest, taskId: string): MaybePromise<TaskState>;
  /** As soon as the task has ended or asks for something under a key that is not among `known`. */
  settled(request: McpRequest, taskId: string, known: ReadonlySet<string>): Promise<TaskState>;
  /**
   * Answers to keys that are not open are ignored. `refusals`: with which errors the client refused; where the task cannot
   * be told them and there is no answer to the same question, it is cancelled and this throws.
   */
  update(
    request: McpRequest,
    taskId: string,
    responses: InputResponses,
    refusals?: InputRefusals,
  ): MaybePromise<void>;
  /** `final`: the client is told that the task is cancelled, and that must stay so. Tells how it was before. */
  cancel(
    request: McpRequest,
    taskId: string,
    final: boolean,
  ): MaybePromise<{ readonly before: Task; readonly now: Task }>;
  /** Those of the principal. */
  list(
    request: McpRequest,
    cursor: string | undefined,
  ): MaybePromise<{ readonly tasks: readonly Task[]; readonly nextCursor?: string }>;
}
