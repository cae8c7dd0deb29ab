import { ProtocolError, type ErrorObject } from '../jsonrpc/index.js';
import { isEnded, type InputRequest, type InputRequests, type Task, type TaskState } from '../model/index.js';
import { TransportError } from '../transports/index.js';
import type { Call } from './call.js';
import { ClientError } from './client-error.js';
import { sleep } from './clock.js';
import { followTask, type FollowedTask } from './followed-task.js';
import type { InputRounds } from './input-rounds.js';
import type { ClientWarning, RequestOptions } from './options.js';
import type { Requester } from './requester.js';
import type { Settings } from './settings.js';

/** What a caller who watches tasks himself gets instead of a result. */
export interface TaskCreatedResult {
  readonly type: 'task';
  readonly task: Task;
}

const DEFAULT_POLL_MS = 1000;
const SHORTEST_POLL_MS = 100;
const LONGEST_POLL_MS = 60_000;
const MOST_LOST_POLLS = 3;

/** Waits for the end of calls that a server turned into tasks. */
export class Tasks {
  readonly #settings: Settings;
  readonly #requester: Requester;
  readonly #rounds: InputRounds;
  readonly #era: () => 'legacy' | 'modern';
  readonly #warn: (warning: ClientWarning) => void;

  constructor(
    settings: Settings,
    requester: Requester,
    rounds: InputRounds,
    era: () => 'legacy' | 'modern',
    warn: (warning: ClientWarning) => void,
  ) {
    this.#settings = settings;
    this.#requester = requester;
    this.#rounds = rounds;
    this.#era = era;
    this.#warn = warn;
  }

  taskCreated(call: Call, task: Task): void {
    const { raw = false, hands = false } = call.plan;
    if (raw || hands) call.resolve({ type: 'task', task } satisfies TaskCreatedResult);
    else void this.watch(call, task);
  }

  follow(taskId: string): FollowedTask {
    return followTask(taskId, this.#requester, this.#settings, this.#era());
  }

  /** Settles a call with what becomes of a task. */
  async watch(call: Call, created: Task): Promise<void> {
    const followed = this.follow(created.taskId);
    let ended = false;
    await this.#requester.hold(call, async () => {
      ended = await this.#await(call, followed, created).catch(toLost);
    });
    // The caller gave up, or we did: nobody will ask for the result any more.
    if (!ended)
      followed.cancel(this.#optionsOf(call, false)).catch(() => {
        // Cancelling is a wish; the task may have ended on its own.
      });
    followed.close();
  }

  /** True when the task has ended, false when the call was given up before. */
  async #await(call: Call, followed: FollowedTask, created: Task): Promise<boolean> {
    const { clock, timeouts } = this.#settings;
    let deadline = clock.now() + timeouts.taskMs;
    const answeredKeys = new Set<string>();
    let task: TaskState = created;
    let told = '';
    while (!settleWith(call, task)) {
      const asked = clock.now();
      const answering = this.#answerInput(call, followed, task.inputRequests ?? {}, answeredKeys);
      const end = answering && (await this.#endDuring(answering, call, followed, task));
      // While somebody thinks, the task does not grow older.
      deadline += clock.now() - asked;
      if (end !== undefined) {
        task = end;
        continue;
      }
      told = this.#tellProgress(call, task, told);
      await call.rest(clock, pollInterval(task));
      if (call.settled) return false;
      if (clock.now() >= deadline) throw new ClientError('timeout', 'the task took too long');
      task = await this.#poll(call, followed);
    }
    return true;
  }

  /** A lost poll is asked again: it changes nothing. */
  async #poll(call: Call, followed: FollowedTask): Promise<TaskState> {
    for (let lost = 1; ; lost++) {
      try {
        return await followed.get(this.#optionsOf(call, true));
      } catch (error) {
        if (!(error instanceof TransportError) || lost >= MOST_LOST_POLLS || call.settled) throw error;
        await call.rest(this.#settings.clock, DEFAULT_POLL_MS);
      }
    }
  }

  /** A task may end while somebody thinks: then what became of it, else undefined when everything is answered. */
  async #endDuring(
    answering: Promise<void>,
    call: Call,
    followed: FollowedTask,
    task: Task,
  ): Promise<TaskState | undefined> {
    const answered = new AbortController();
    const stop = (): void => answered.abort();
    answering.then(stop, stop);
    for (;;) {
      await sleep(this.#settings.clock, pollInterval(task), answered.signal);
      if (answered.signal.aborted) break;
      // What is wrong with it is told when the answers are there.
      const now = await followed.get(this.#optionsOf(call, true)).catch(() => undefined);
      if (now !== undefined && isEnded(now.status) && !answered.signal.aborted) return now;
    }
    await answering;
    return undefined;
  }

  /** Servers repeat what is outstanding; each key is answered once. Undefined where nothing is new. */
  #answerInput(
    call: Call,
    followed: FollowedTask,
    asked: InputRequests,
    answeredKeys: Set<string>,
  ): Promise<void> | undefined {
    const fresh = Object.entries(asked).filter(([key]) => !answeredKeys.has(key));
    return fresh.length === 0 ? undefined : this.#answer(call, followed, fresh, answeredKeys);
  }

  async #answer(
    call: Call,
    followed: FollowedTask,
    fresh: readonly [string, InputRequest][],
    answeredKeys: Set<string>,
  ): Promise<void> {
    const refusals = new Map<string, ErrorObject>();
    const inputResponses = await this.#rounds.gather(call, Object.fromEntries(fresh), refusals);
    if (call.settled) return;
    await followed.update(inputResponses, this.#optionsOf(call, true), Object.fromEntries(refusals));
    for (const [key] of fresh) answeredKeys.add(key);
  }

  /** Tasks have no progress of their own, so whoever asked for some hears when their state is another one. */
  #tellProgress(call: Call, { status, statusMessage }: TaskState, told: string): string {
    const message = `task ${status}${statusMessage === undefined ? '' : `: ${statusMessage}`}`;
    if (call.options.onProgress === undefined || message === told) return message;
    call.toldProgress = Math.max(0, Math.floor(call.toldProgress)) + 1;
    try {
      call.options.onProgress({ progress: call.toldProgress, message });
    } catch {
      this.#warn({ code: 'hook_failed', message: 'onProgress threw' });
    }
    return message;
  }

  #optionsOf(call: Call, abortable: boolean): RequestOptions {
    const { signal, capabilities, tag, caller } = call.options;
    return {
      ...(abortable && signal && { signal }),
      ...(capabilities && { capabilities }),
      ...(tag !== undefined && { tag }),
      ...(caller !== undefined && { caller }),
    };
  }
}

/** True when the task has ended and the call with it. */
function settleWith(call: Call, task: TaskState): boolean {
  switch (task.status) {
    case 'completed':
      call.resolve(call.plan.shape(task.result ?? {}));
      return true;
    case 'failed': {
      const { code, message, data } = task.error ?? { code: -32_603, message: 'the task failed' };
      call.reject(new ProtocolError(code, message, data));
      return true;
    }
    case 'cancelled':
      call.reject(new ClientError('task_cancelled', 'the task was cancelled'));
      return true;
    case 'working':
    case 'input_required':
      return false;
  }
}

/** What was refused or lost on the way was a question about the task. The call that began it has been made. */
function toLost(error: unknown): never {
  if (!(error instanceof TransportError)) throw error;
  throw new ClientError('task_lost', 'the task cannot be asked about any more', { cause: error });
}

function pollInterval({ pollIntervalMs = DEFAULT_POLL_MS }: Task): number {
  return Math.min(Math.max(pollIntervalMs, SHORTEST_POLL_MS), LONGEST_POLL_MS);
}
