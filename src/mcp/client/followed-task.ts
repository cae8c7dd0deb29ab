import { isObject, ProtocolError, type ErrorObject, type JsonObject } from '../jsonrpc/index.js';
import {
  isEnded,
  isTaskStatus,
  type InputRefusals,
  type InputRequest,
  type InputResponses,
  type Task,
  type TaskState,
} from '../model/index.js';
import { readLegacyTask, readTask, withoutRelatedTask } from '../wire/index.js';
import { HARMLESS } from './call-plans.js';
import { ClientError, invalidResponse, toError } from './client-error.js';
import { sleep } from './clock.js';
import { InputRefused, type InputHandler, type RequestOptions } from './options.js';
import type { Requester } from './requester.js';
import { toCallResult } from './result-shapes.js';
import type { Settings } from './settings.js';

/** A task at a server, whichever era the server speaks. It may be asked again and again; nothing of it is kept but what has to be. */
export interface FollowedTask {
  /** Whether it waits for answers that can be given in this conversation only. */
  readonly asks: boolean;
  /** What became of it so far. Questions that are open come with it. */
  get(options?: RequestOptions): Promise<TaskState>;
  /**
   * Answers by the keys of the questions; those of others are ignored. `refusals` are errors instead of answers, for
   * servers that can be told them. Others get the answer to the same question; where there is none the task is cancelled.
   */
  update(responses: InputResponses, options?: RequestOptions, refusals?: InputRefusals): Promise<void>;
  /** A wish: the task may end in another way. */
  cancel(options?: RequestOptions): Promise<void>;
  /** Asks no more. The task itself goes on. */
  close(): void;
}

export function followTask(
  taskId: string,
  requester: Requester,
  settings: Settings,
  era: 'legacy' | 'modern',
): FollowedTask {
  return era === 'modern' ? new ModernTask(taskId, requester) : new LegacyTask(taskId, requester, settings);
}

class ModernTask implements FollowedTask {
  readonly asks = false;
  readonly #taskId: string;
  readonly #requester: Requester;

  constructor(taskId: string, requester: Requester) {
    this.#taskId = taskId;
    this.#requester = requester;
  }

  async get(options?: RequestOptions): Promise<TaskState> {
    const answer = await this.#request('tasks/get', {}, options);
    const state = readTask(answer);
    if (typeof state === 'string') throw notATask(answer, state);
    return state.result === undefined ? state : { ...state, result: toTaskResult(state.result) };
  }

  async update(
    inputResponses: InputResponses,
    options?: RequestOptions,
    refusals: InputRefusals = {},
  ): Promise<void> {
    if (Object.keys(refusals).some((key) => !Object.hasOwn(inputResponses, key))) {
      // It would wait for an answer that does not come.
      await this.cancel(options);
      throw new ClientError('input_refused', 'a question of the task was refused');
    }
    await this.#request('tasks/update', { inputResponses }, options);
  }

  async cancel(options?: RequestOptions): Promise<void> {
    await this.#request('tasks/cancel', {}, options);
  }

  close(): void {}

  async #request(method: string, more: JsonObject, options: RequestOptions | undefined): Promise<JsonObject> {
    const params = { taskId: this.#taskId, ...more };
    return (await this.#requester.request(method, params, HARMLESS, options)) as JsonObject;
  }
}

interface Question {
  readonly request: InputRequest;
  readonly answer: (answer: JsonObject) => void;
  readonly refuse: (reason: Error) => void;
}

type Outcome = Pick<TaskState, 'status' | 'result' | 'error'>;

/** Questions follow their announcement; how long to wait for the first of them. */
const FIRST_QUESTION_MS = 500;
const LOOK_MS = 20;

/**
 * A legacy server asks, and tells the result, on a request of ours that is open until the task has ended. It is opened as
 * soon as there is something to ask or to tell.
 */
class LegacyTask implements FollowedTask {
  readonly #taskId: string;
  readonly #requester: Requester;
  readonly #settings: Settings;
  readonly #questions = new Map<string, Question>();
  #asked = 0;
  #outcome: Promise<Outcome> | undefined;
  #end: AbortController | undefined;

  constructor(taskId: string, requester: Requester, settings: Settings) {
    this.#taskId = taskId;
    this.#requester = requester;
    this.#settings = settings;
  }

  get asks(): boolean {
    return this.#questions.size > 0;
  }

  async get(options?: RequestOptions): Promise<TaskState> {
    const task = await this.#ask('tasks/get', options);
    // What was cancelled has no result.
    if (task.status === 'cancelled') return task;
    if (isEnded(task.status)) return endOf(task, await this.#result(options));
    if (task.status === 'input_required') await this.#questionsOf(options);
    if (this.#questions.size === 0) return { ...task, status: 'working' };
    const inputRequests = Object.fromEntries(
      [...this.#questions].map(([key, { request }]) => [key, request]),
    );
    return { ...task, status: 'input_required', inputRequests };
  }

  async update(
    responses: InputResponses,
    _options?: RequestOptions,
    refusals: InputRefusals = {},
  ): Promise<void> {
    for (const [key, { code, message, data }] of Object.entries(refusals))
      this.#take(key)?.refuse(new ProtocolError(code, message, data));
    for (const [key, response] of Object.entries(responses)) this.#take(key)?.answer(response);
  }

  #take(key: string): Question | undefined {
    const question = this.#questions.get(key);
    this.#questions.delete(key);
    return question;
  }

  async cancel(options?: RequestOptions): Promise<void> {
    await this.#ask('tasks/cancel', options);
  }

  close(): void {
    this.#end?.abort();
  }

  async #ask(method: string, options: RequestOptions | undefined): Promise<Task> {
    const params = { taskId: this.#taskId };
    const answer = (await this.#requester.request(method, params, HARMLESS, options)) as JsonObject;
    const task = readLegacyTask(answer);
    if (typeof task === 'string') throw notATask(answer, task);
    return task;
  }

  async #questionsOf(options: RequestOptions | undefined): Promise<void> {
    const { clock } = this.#settings;
    this.#result(options).catch(() => {
      // Asked for again with the next look at the task.
    });
    const deadline = clock.now() + FIRST_QUESTION_MS;
    while (this.#questions.size === 0 && this.#outcome !== undefined && clock.now() < deadline) {
      await sleep(clock, LOOK_MS, options?.signal);
      if (options?.signal?.aborted === true)
        throw new ClientError('aborted', 'looking at the task was aborted by its caller');
    }
  }

  #result(options: RequestOptions | undefined): Promise<Outcome> {
    this.#outcome ??= this.#open(options).catch((error: unknown) => {
      // What was lost on the way can be asked for again.
      this.#outcome = undefined;
      throw error;
    });
    return this.#outcome;
  }

  async #open(options: RequestOptions | undefined): Promise<Outcome> {
    const controller = (this.#end = new AbortController());
    const { taskMs } = this.#settings.timeouts;
    try {
      const result = (await this.#requester.request('tasks/result', { taskId: this.#taskId }, HARMLESS, {
        signal: controller.signal,
        timeoutMs: taskMs,
        totalMs: taskMs,
        onInput: this.#handler,
        ...(options?.tag !== undefined && { tag: options.tag }),
        ...(options?.caller !== undefined && { caller: options.caller }),
      })) as JsonObject;
      return { status: 'completed', result: toTaskResult(withoutRelatedTask(result)) };
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      return { status: 'failed', error: error.toErrorObject() };
    } finally {
      for (const { refuse } of this.#questions.values()) refuse(new InputRefused('the task has ended'));
      this.#questions.clear();
    }
  }

  readonly #handler: InputHandler = (request, { signal }) =>
    new Promise((answer, reject) => {
      // Keys have to be different over the whole life of a task, of which this may be the second half.
      const key = `question-${++this.#asked}-${Math.floor(this.#settings.random() * 1e9).toString(36)}`;
      this.#questions.set(key, { request, answer, refuse: reject });
      signal.addEventListener('abort', () => {
        this.#questions.delete(key);
        reject(toError(signal.reason));
      });
    });
}

/** What a server says only of a task that failed has to be in its outcome: callers without tasks see nothing else. */
function endOf(task: Task, outcome: Outcome): TaskState {
  if (task.status !== 'failed') return { ...task, ...outcome };
  const { result, error } = outcome;
  return {
    ...task,
    ...outcome,
    ...(result !== undefined && { result: { ...result, isError: true } }),
    ...(error !== undefined && { error: withReason(error, task.statusMessage) }),
  };
}

function withReason(error: ErrorObject, reason: string | undefined): ErrorObject {
  const isTold = reason === undefined || error.message.includes(reason);
  return isTold ? error : { ...error, message: `${error.message}: ${reason}` };
}

/** Checked as the result of any call. */
function toTaskResult(result: JsonObject): JsonObject {
  try {
    return toCallResult(result) as unknown as JsonObject;
  } catch (error) {
    throw error instanceof ClientError ? invalidResponse(error.message, { taskEnded: true }) : error;
  }
}

/** An end that is told against the protocol is an end all the same. */
function notATask({ status }: JsonObject, reason: string): ClientError {
  return invalidResponse(reason, { taskEnded: isTaskStatus(status) && isEnded(status) });
}

/** Whether a result of a legacy server is a handle, and which. */
export function readLegacyHandle(result: JsonObject): Task | undefined {
  if (!isObject(result['task'])) return undefined;
  const task = readLegacyTask(result['task']);
  if (typeof task === 'string') throw new ClientError('invalid_response', task);
  return task;
}
