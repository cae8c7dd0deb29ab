import { isObject, ProtocolError, type Json, type JsonObject } from '../jsonrpc/index.js';
import type { InputRequests } from '../model/index.js';
import { TransportError } from '../transports/index.js';
import { readModernResult } from '../wire/index.js';
import type { Call } from './call.js';
import { HARMLESS } from './call-plans.js';
import { ClientError, invalidResponse } from './client-error.js';
import { sleep } from './clock.js';
import type { InputRounds } from './input-rounds.js';
import type { RequestOptions } from './options.js';
import type { Requester } from './requester.js';
import type { Settings } from './settings.js';

/** What a caller who watches tasks himself gets instead of a result. */
export interface TaskCreatedResult {
  readonly type: 'task';
  readonly task: JsonObject;
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

  constructor(settings: Settings, requester: Requester, rounds: InputRounds) {
    this.#settings = settings;
    this.#requester = requester;
    this.#rounds = rounds;
  }

  taskCreated(call: Call, task: JsonObject): void {
    const { taskId } = task;
    if (call.plan.raw === true) call.resolve({ type: 'task', task } satisfies TaskCreatedResult);
    else if (typeof taskId !== 'string' || taskId === '')
      call.reject(invalidResponse('a task needs a taskId'));
    else void this.#watch(call, taskId, task);
  }

  async #watch(call: Call, taskId: string, created: JsonObject): Promise<void> {
    let ended = false;
    await this.#requester.hold(call, async () => {
      ended = await this.#await(call, taskId, created);
    });
    if (ended) return;
    // The caller gave up, or we did: nobody will ask for the result any more.
    this.#requester.request('tasks/cancel', { taskId }, HARMLESS, this.#optionsOf(call, false)).catch(() => {
      // Cancelling is a wish; the task may have ended on its own.
    });
  }

  /** True when the task has ended, false when the call was given up before. */
  async #await(call: Call, taskId: string, created: JsonObject): Promise<boolean> {
    const { clock, timeouts } = this.#settings;
    const deadline = clock.now() + timeouts.taskMs;
    const answeredKeys = new Set<string>();
    let task = created;
    while (!this.#settle(call, task)) {
      if (task['status'] === 'input_required') await this.#answerInput(call, taskId, task, answeredKeys);
      await sleep(clock, pollInterval(task), call.options.signal);
      if (call.settled) return false;
      if (clock.now() >= deadline) throw new ClientError('timeout', 'the task took too long');
      task = await this.#poll(call, taskId);
    }
    return true;
  }

  /** True when the task has ended and the call with it. */
  #settle(call: Call, task: JsonObject): boolean {
    const { status } = task;
    if (status === 'completed') this.#complete(call, task['result']);
    else if (status === 'failed') call.reject(toFailure(task['error']));
    else if (status === 'cancelled') call.reject(new ClientError('task_cancelled', 'the task was cancelled'));
    else if (status === 'working' || status === 'input_required') return false;
    else throw invalidResponse('a task has an unknown status');
    return true;
  }

  #complete(call: Call, value: Json | undefined): void {
    const read = readModernResult(call.method, value ?? null, false);
    if (read.type === 'complete') call.resolve(call.plan.shape(read.result));
    else call.reject(invalidResponse('the result of a task must be a complete result'));
  }

  /** A lost poll is asked again: it changes nothing. */
  async #poll(call: Call, taskId: string): Promise<JsonObject> {
    for (let lost = 1; ; lost++) {
      try {
        return (await this.#requester.request(
          'tasks/get',
          { taskId },
          HARMLESS,
          this.#optionsOf(call, true),
        )) as JsonObject;
      } catch (error) {
        if (!(error instanceof TransportError) || lost >= MOST_LOST_POLLS || call.settled) throw error;
        await sleep(this.#settings.clock, DEFAULT_POLL_MS, call.options.signal);
      }
    }
  }

  /** Servers repeat what is outstanding; each key is answered once. */
  async #answerInput(call: Call, taskId: string, task: JsonObject, answeredKeys: Set<string>): Promise<void> {
    // The same rules hold as for a request for input of the call itself.
    const read = readModernResult(
      call.method,
      { ...task, resultType: 'input_required', requestState: '' },
      false,
    );
    if (read.type !== 'input_required') throw invalidResponse('a task asks for something unknown');
    const fresh = Object.entries(read.requests).filter(([key]) => !answeredKeys.has(key));
    if (fresh.length === 0) return;
    const requests: InputRequests = Object.fromEntries(fresh);
    const inputResponses = await this.#rounds.gather(call, requests);
    if (call.settled) return;
    await this.#requester.request(
      'tasks/update',
      { taskId, inputResponses },
      HARMLESS,
      this.#optionsOf(call, true),
    );
    for (const [key] of fresh) answeredKeys.add(key);
  }

  #optionsOf(call: Call, abortable: boolean): RequestOptions {
    const { signal, capabilities } = call.options;
    return { ...(abortable && signal && { signal }), ...(capabilities && { capabilities }) };
  }
}

function pollInterval(task: JsonObject): number {
  const wanted = task['pollIntervalMs'];
  const interval = typeof wanted === 'number' && Number.isFinite(wanted) ? wanted : DEFAULT_POLL_MS;
  return Math.min(Math.max(interval, SHORTEST_POLL_MS), LONGEST_POLL_MS);
}

function toFailure(value: Json | undefined): Error {
  if (isObject(value) && Number.isInteger(value['code']) && typeof value['message'] === 'string') {
    return new ProtocolError(value['code'] as number, value['message'], value['data']);
  }
  return invalidResponse('a failed task must say why');
}
