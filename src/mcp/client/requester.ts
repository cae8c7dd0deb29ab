import { isObject, ProtocolError, type Json, type JsonObject } from '../jsonrpc/index.js';
import {
  declaresTasks,
  type ClientCapabilities,
  type InputRequests,
  type LogLevel,
  type Task,
} from '../model/index.js';
import { TransportError } from '../transports/index.js';
import { HEADER_MISMATCH, readModernResult, readTaskHandle } from '../wire/index.js';
import { HARMLESS } from './call-plans.js';
import { CallWriter, type CallWriterParts } from './call-writer.js';
import { abortedError, Call, type CallOwner, type CallPlan } from './call.js';
import { ClientError, invalidResponse, toError, unsent } from './client-error.js';
import type { Connection } from './connection.js';
import type { ConnectionKeeper } from './connection-keeper.js';
import { readLegacyHandle } from './followed-task.js';
import { isAnswerLost, judgeLoss, lookForOtherEra, OTHER_ERA, speaksOtherEra } from './judge-failure.js';
import type { CallOptions, RequestOptions } from './options.js';
import { toLegacyAnswer } from './result-shapes.js';

/** Results that are not the end of a call. */
export interface UnfinishedCalls {
  inputRequired(call: Call, requests: InputRequests, requestState: string | undefined): void;
  taskCreated(call: Call, task: Task): void;
}

export interface RequesterParts extends CallWriterParts {
  readonly keeper: () => ConnectionKeeper;
  readonly unfinished: UnfinishedCalls;
  /** Lists the tools anew, for their headers. */
  readonly refreshTools: (signal: AbortSignal | undefined) => Promise<unknown>;
}

/**
 * Has calls sent and turns answers into results. Decides what may be sent again: what the server refused without acting
 * on it, and what does no harm when repeated. Each at most once.
 */
export class Requester implements CallOwner {
  readonly #parts: RequesterParts;
  readonly #held = new Set<Call>();
  readonly #writer: CallWriter;

  constructor(parts: RequesterParts) {
    this.#parts = parts;
    this.#writer = new CallWriter(parts);
  }

  set logLevel(level: LogLevel | undefined) {
    this.#writer.logLevel = level;
  }

  request(
    method: string,
    params: JsonObject | undefined,
    plan: CallPlan,
    options: CallOptions | undefined,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.start(new Call(method, params, plan, options, this, resolve, reject));
    });
  }

  start(call: Call): void {
    if (this.admits(call)) this.send(call, call.params);
  }

  /** False, and the call is settled, when its caller gave up before it began. */
  admits(call: Call): boolean {
    const { options } = call;
    const aborted =
      options.onAbort === undefined ? options.signal?.aborted === true : hearAbort(call, options);
    if (aborted) call.reject(abortedError(call));
    return !aborted;
  }

  /** Sends a call, again if need be, with these params. */
  send(call: Call, params: JsonObject | undefined): void {
    const keeper = this.#parts.keeper();
    const connection = keeper.ready;
    call.body = params;
    if (connection === undefined) void this.#sendLater(call, keeper);
    else this.#sendNow(call, connection);
  }

  aborted(call: Call, reason: string | undefined): void {
    this.cancel(call, abortedError(call), reason);
  }

  answered(connection: Connection, call: Call, result: Json): void {
    connection.doubted = false;
    connection.proven = true;
    if (connection.peer.era === 'legacy') {
      if (isObject(result)) this.#finishLegacy(call, result);
      else call.reject(invalidResponse('a result must be an object'));
      return;
    }
    const read = readModernResult(
      call.method,
      result,
      declaresTasks(this.#writer.declared(call, connection.peer)),
    );
    switch (read.type) {
      case 'complete':
        finish(call, read.result);
        return;
      case 'input_required':
        this.#parts.unfinished.inputRequired(call, read.requests, read.requestState);
        return;
      case 'task':
        this.#createTask(call, readTaskHandle(read.result));
        return;
      case 'invalid':
        call.reject(invalidResponse(read.reason));
        return;
    }
  }

  failed(connection: Connection, call: Call, error: Error): void {
    const { repeatable, part = false } = call.plan;
    const isLegacy = connection.peer.era === 'legacy';
    if (speaksOtherEra(connection, call, error)) {
      connection.proven = false;
      connection.warned(OTHER_ERA);
      // One that names the revisions it speaks did not look at the request; of others it cannot be told.
      call.reject(isLegacy ? replaced(error) : error);
      return;
    }
    const loss = isLegacy ? judgeLoss(connection, call, error) : 'none';
    if (loss !== 'none') {
      const renewed = this.#renewSession(connection, call, loss);
      if (renewed && repeatable && !call.repeated) this.#repeat(call);
      else call.reject(loss === 'certain' || part ? sessionLost(error) : error);
      return;
    }
    const mayRepeat = part || (repeatable && (this.#parts.settings.repeatReads || call.plan.read !== true));
    if (mayRepeat && isAnswerLost(error) && connection.alive && !call.repeated) {
      this.#repeat(call);
      return;
    }
    if (
      error instanceof ProtocolError &&
      error.code === HEADER_MISMATCH &&
      this.#mayRefresh(connection, call)
    ) {
      void this.#refresh(call, error);
      return;
    }
    void lookForOtherEra(connection, call, error, () => this.request('ping', undefined, HARMLESS, undefined));
    call.reject(error);
  }

  /** Does what a call needs while it is on no wire. When that fails, the call does. */
  async hold(call: Call, work: () => Promise<void>): Promise<void> {
    this.#held.add(call);
    try {
      await work();
    } catch (error) {
      call.reject(toError(error));
    } finally {
      this.#held.delete(call);
    }
  }

  close(error: Error): void {
    for (const call of this.#held) this.cancel(call, error);
  }

  /** Takes a call back that nobody waits for any more. The server is told `reason`, or what kind of error it is. */
  cancel(call: Call, error: Error, reason?: string): void {
    this.#parts.keeper().current.conversation.cancel(call, error, reason);
    // Between two rounds it is on no wire.
    call.reject(error);
  }

  capabilitiesOf(call: Call): ClientCapabilities {
    return this.#writer.capabilitiesOf(call);
  }

  #finishLegacy(call: Call, result: JsonObject): void {
    try {
      const handle = call.asksForTask ? readLegacyHandle(result) : undefined;
      if (handle === undefined) finish(call, toLegacyAnswer(result));
      else this.#createTask(call, handle);
    } catch (error) {
      call.reject(toError(error));
    }
  }

  #createTask(call: Call, task: Task | string): void {
    if (typeof task === 'string') call.reject(invalidResponse(task));
    else this.#parts.unfinished.taskCreated(call, task);
  }

  /** False when there is no new session and will be none. */
  #renewSession(connection: Connection, call: Call, loss: 'suspected' | 'certain'): boolean {
    if (call.generation !== connection.generation) return true;
    connection.doubted = loss === 'suspected';
    return this.#parts.keeper().sessionLost(connection, loss);
  }

  #repeat(call: Call): void {
    call.repeated = true;
    this.send(call, call.body);
  }

  async #sendLater(call: Call, keeper: ConnectionKeeper): Promise<void> {
    try {
      const connection = await keeper.open();
      if (!call.settled) this.#sendNow(call, connection);
    } catch (thrown) {
      const error = toError(thrown);
      call.reject(call.id === -1 ? unsent(error) : error);
    }
  }

  #sendNow(call: Call, connection: Connection): void {
    const { clock, timeouts } = this.#parts.settings;
    const { options } = call;
    const now = clock.now();
    call.idleMs = options.timeoutMs ?? timeouts.requestMs;
    call.idleDeadline = now + call.idleMs;
    call.totalDeadline = now + (options.totalMs ?? Math.max(timeouts.totalMs, options.timeoutMs ?? 0));
    call.patienceMs = timeouts.inputMs;
    call.generation = connection.generation;
    this.#writer.send(call, connection);
  }

  #mayRefresh(connection: Connection, call: Call): boolean {
    if (call.refreshed || call.method !== 'tools/call') return false;
    return connection.peer.era === 'modern' && connection.transport.carriesHeaders;
  }

  /** The server refused the headers before it looked at the call, so with the right ones it may be sent again. */
  async #refresh(call: Call, refusal: ProtocolError): Promise<void> {
    call.refreshed = true;
    try {
      await this.#parts.refreshTools(call.options.signal);
    } catch {
      call.reject(refusal);
      return;
    }
    if (!call.settled) this.send(call, call.body);
  }
}

function finish(call: Call, result: JsonObject): void {
  try {
    call.resolve(call.plan.shape(result));
  } catch (error) {
    call.reject(toError(error));
  }
}

function sessionLost(cause: Error): ClientError {
  const message = 'the server no longer knows the session; the request was not repeated';
  const mayHaveArrived = cause instanceof TransportError ? cause.mayHaveArrived : true;
  return new ClientError('session_lost', message, { cause, mayHaveArrived });
}

function replaced(cause: Error): ClientError {
  const message = 'the server speaks another revision now; the request was not repeated';
  return new ClientError('session_lost', message, { cause, mayHaveArrived: false });
}

/** Whether the caller has given up already; from then on it is heard. */
function hearAbort(call: Call, options: RequestOptions): boolean {
  let begun = false;
  let early = false;
  options.onAbort?.((reason) => {
    if (begun) call.giveUp(reason);
    else early = true;
  });
  begun = true;
  return early;
}
