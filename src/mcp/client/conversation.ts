import {
  ProtocolError,
  TurnoverMap,
  writeNotification,
  type ErrorMessage,
  type Json,
  type JsonObject,
  type Message,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
} from '../jsonrpc/index.js';
import type {
  Outgoing,
  ProgressRead,
  Receiver,
  Transport,
  TransportError,
  TransportWarning,
} from '../transports/index.js';
import { AbandonedCalls } from './abandoned-calls.js';
import type { Call } from './call.js';
import { ClientError, invalidResponse, toError } from './client-error.js';
import type { Clock } from './clock.js';
import { Deadlines } from './deadlines.js';
import type { ClientWarning, OngoingCall } from './options.js';
import { readToldProgress, toProgress } from './told-progress.js';
import { withLimit } from './with-limit.js';

/** What becomes of the messages of a conversation. */
export interface ConversationHost {
  answered(call: Call, result: Json): void;
  failed(call: Call, error: Error): void;
  asked(request: RequestMessage, during: Call | undefined): void;
  notified(notification: NotificationMessage, during: Call | undefined): void;
  /** Whether log messages during this call, or outside of any, would reach nobody. */
  ignoresLog(call: Call | undefined): boolean;
  sessionLost(): void;
  /** The peer is gone; every pending call has failed already. */
  lost(reason: TransportError): void;
  warned(warning: ClientWarning): void;
}

/**
 * Requests and answers over one transport: ids, the table of pending calls, deadlines, cancellation, progress. It knows
 * of the eras only how a request is taken back.
 *
 * Invariants: an id is never used twice; an answer reaches the one call that waits for exactly this id or none; after
 * `close` nothing is called.
 */
export class Conversation implements Receiver {
  readonly #transport: Transport;
  readonly #host: ConversationHost;
  readonly #clock: Clock;
  readonly #plainMs: number;
  readonly #pending = new TurnoverMap<RequestId, Call>();
  readonly #deadlines: Deadlines<Call>;
  #nextId = 0;
  #closedBy: Error | undefined;
  #unknownAnswers = 0;
  readonly #abandoned: AbandonedCalls;
  /** How requests are taken back: by a message, by ending their exchange, or (before the handshake) by neither. */
  cancelBy: 'message' | 'exchange' | 'nothing' = 'nothing';

  /** `plainMs` limits the sending of what expects no answer. */
  constructor(transport: Transport, host: ConversationHost, clock: Clock, plainMs: number) {
    this.#plainMs = plainMs;
    this.#transport = transport;
    this.#host = host;
    this.#clock = clock;
    this.#abandoned = new AbandonedCalls(clock);
    const calls = { [Symbol.iterator]: () => this.#pending.values() };
    this.#deadlines = new Deadlines(clock, calls, (call, now) => {
      this.#expire(call, now);
    });
  }

  /** Answers to questions we did not have, among them late ones. */
  get unknownAnswers(): number {
    return this.#unknownAnswers;
  }

  get closedBy(): Error | undefined {
    return this.#closedBy;
  }

  pending(): readonly Call[] {
    return [...this.#pending.values()];
  }

  /** Calls that were taken back a short while ago: what the peer asks about them may still be on its way. */
  abandoned(): readonly OngoingCall[] {
    return this.#abandoned.recent();
  }

  find(id: RequestId): Call | undefined {
    return this.#pending.get(id);
  }

  takeId(): number {
    return this.#nextId++;
  }

  /** Sends a call under an id from `takeId`. Its deadlines must be set. */
  send(call: Call, id: number, text: string, headers: Readonly<Record<string, string>> | undefined): void {
    if (this.#closedBy !== undefined) {
      this.#host.failed(call, this.#closedBy);
      return;
    }
    call.id = id;
    call.startRound();
    this.#pending.set(id, call);
    this.#deadlines.watch(call, this.#clock.now());
    let signal: AbortSignal | undefined;
    // A signal for every call is dear; only transports without a cheaper way get one.
    if (this.#transport.carriesHeaders && this.#transport.abort === undefined) {
      call.exchange = new AbortController();
      signal = call.exchange.signal;
    }
    this.#transport.send(toOutgoing(call, id, text, headers, signal)).then(
      () => this.#exchangeEnded(call, id),
      (error: unknown) => this.#exchangeFailed(call, id, error),
    );
  }

  /** Sends what expects no answer. */
  async sendPlain(text: string, method: string | undefined, signal?: AbortSignal): Promise<void> {
    if (this.#closedBy !== undefined) throw this.#closedBy;
    const what = method ?? 'an answer';
    await withLimit(this.#clock, this.#plainMs, what, signal, (limited) =>
      this.#transport.send({ text, method, signal: limited }),
    );
  }

  /** Moves the deadline of a pending call after it was paused or extended. */
  watch(call: Call): void {
    if (this.#pending.has(call.id)) this.#deadlines.watch(call, this.#clock.now());
  }

  /** Gives a call up: tells the peer in the way of its era and ignores what still arrives. */
  cancel(call: Call, error: Error, reason?: string): void {
    if (!this.#drop(call)) return;
    if (this.cancelBy === 'message' && call.method !== 'initialize') {
      this.#abandoned.add(call);
      const params: JsonObject = {
        requestId: call.id,
        reason: reason ?? (error instanceof ClientError ? error.code : 'cancelled'),
      };
      this.sendPlain(writeNotification('notifications/cancelled', params), 'notifications/cancelled').catch(
        () => {
          // The peer is gone or refuses: either way there is nothing left to take back.
        },
      );
    }
    this.#abortExchange(call);
    call.reject(error);
  }

  /** Fails a call that the peer has ended by other means than an answer. */
  drop(call: Call, error: Error): void {
    if (!this.#drop(call)) return;
    this.#abortExchange(call);
    this.#host.failed(call, error);
  }

  async close(error: Error): Promise<void> {
    this.#end(error);
    await this.#transport.close();
  }

  message(message: Message, during: RequestId | undefined, status?: number): void {
    if (this.#closedBy !== undefined) return;
    switch (message.kind) {
      case 'result': {
        const call = this.#take(message.id);
        if (call === undefined) this.#unknown();
        else this.#host.answered(call, message.result);
        return;
      }
      case 'error':
        this.#receiveError(message, during, status);
        return;
      case 'request':
        this.#host.asked(message, this.#callOf(during));
        return;
      case 'notification':
        this.#receiveNotification(message, during);
        return;
    }
  }

  badAnswer(id: RequestId): void {
    const call = this.#closedBy === undefined ? this.#take(id) : undefined;
    if (call !== undefined)
      this.#host.failed(call, invalidResponse(`the answer to ${call.method} is no message`));
  }

  progress({ token, progress, total, message }: ProgressRead, during: RequestId): void {
    if (this.#closedBy === undefined && during === token) this.#moveOn(token, progress, total, message);
  }

  ignoresLog(during: RequestId | undefined): boolean {
    if (during === undefined) {
      for (const call of this.#pending.values()) if (!this.#host.ignoresLog(call)) return false;
      return this.#host.ignoresLog(undefined);
    }
    const call = this.#pending.get(during);
    return call !== undefined && this.#host.ignoresLog(call);
  }

  readonly sessionLost = (): void => this.#host.sessionLost();

  closed(reason: TransportError): void {
    if (this.#closedBy !== undefined) return;
    this.#end(reason);
    this.#host.lost(reason);
  }

  warn(warning: TransportWarning): void {
    if (this.#closedBy === undefined) this.#host.warned(warning);
  }

  #receiveError(message: ErrorMessage, during: RequestId | undefined, status: number | undefined): void {
    // An error without an id says that the peer could not read it; on the stream of a request it is about that request.
    const call = this.#take(message.id ?? during);
    if (call === undefined) {
      this.#unknown();
      return;
    }
    call.status = status;
    const { code, message: text, data } = message.error;
    this.#host.failed(call, new ProtocolError(code, text, data));
  }

  #receiveNotification(message: NotificationMessage, during: RequestId | undefined): void {
    if (message.method === 'notifications/progress') this.#receiveProgress(message.params, during);
    else this.#host.notified(message, this.#callOf(during));
  }

  #receiveProgress(params: JsonObject | undefined, during: RequestId | undefined): void {
    const told = readToldProgress(params);
    if (told === undefined || (during !== undefined && during !== told.token)) return;
    this.#moveOn(told.token, told.progress, told.total, told.message, told.others);
  }

  #moveOn(
    token: number,
    progress: number,
    total: number | undefined,
    message: string | undefined,
    others?: JsonObject,
  ): void {
    const call = this.#pending.get(token);
    if (call === undefined || !call.wantsProgress || !(progress > call.lastProgress)) return;
    call.lastProgress = progress;
    call.idleDeadline = this.#clock.now() + call.idleMs;
    const base = call.baseOf(progress);
    if (!(base + progress > call.toldProgress)) return;
    call.toldProgress = base + progress;
    const wholeTotal = total === undefined ? undefined : base + total;
    try {
      call.options.onProgress?.(toProgress(call.toldProgress, wholeTotal, message, others));
    } catch {
      this.#host.warned({ code: 'hook_failed', message: 'onProgress threw' });
    }
  }

  #abortExchange(call: Call): void {
    if (this.#transport.abort === undefined) call.exchange?.abort();
    else this.#transport.abort(call.id);
  }

  #exchangeEnded(call: Call, id: number): void {
    // Over HTTP the answer comes within the exchange or never.
    if (!this.#transport.carriesHeaders || this.#pending.get(id) !== call) return;
    this.#pending.delete(id);
    this.#host.failed(call, invalidResponse(`the answer to ${call.method} held no message for it`));
  }

  #exchangeFailed(call: Call, id: number, error: unknown): void {
    if (this.#pending.get(id) !== call) return;
    this.#pending.delete(id);
    this.#host.failed(call, toError(error));
  }

  #expire(call: Call, now: number): void {
    const total = call.totalDeadline <= now + 1;
    const limit = total ? 'as a whole' : 'without an answer';
    this.cancel(call, new ClientError('timeout', `${call.method} took too long ${limit}`));
  }

  #callOf(during: RequestId | undefined): Call | undefined {
    return during === undefined ? undefined : this.#pending.get(during);
  }

  #take(id: RequestId | undefined): Call | undefined {
    if (id === undefined) return undefined;
    const call = this.#pending.get(id) ?? this.#misspelt(id);
    if (call !== undefined) this.#pending.delete(call.id);
    return call;
  }

  /** Some servers repeat ids as text. All of ours are numbers, so the text of one can mean no other. */
  #misspelt(id: RequestId): Call | undefined {
    const call =
      typeof id === 'string' && String(Number(id)) === id ? this.#pending.get(Number(id)) : undefined;
    if (call !== undefined)
      this.#host.warned({ code: 'wrong_id_type', message: 'an answer repeats our id in another type' });
    return call;
  }

  /** Under its id there may be another call by now, if this one was sent over another connection. */
  #drop(call: Call): boolean {
    return this.#pending.get(call.id) === call && this.#pending.delete(call.id);
  }

  #unknown(): void {
    this.#unknownAnswers++;
    this.#host.warned({ code: 'unknown_answer', message: 'an answer to no pending request was dropped' });
  }

  #end(error: Error): void {
    if (this.#closedBy !== undefined) return;
    this.#closedBy = error;
    this.#deadlines.stop();
    this.#abandoned.clear();
    const calls = [...this.#pending.values()];
    this.#pending.clear();
    for (const call of calls) {
      this.#abortExchange(call);
      this.#host.failed(call, error);
    }
  }
}

function toOutgoing(
  call: Call,
  id: number,
  text: string,
  headers: Readonly<Record<string, string>> | undefined,
  signal: AbortSignal | undefined,
): Outgoing {
  const { method, listener } = call;
  // Members that say nothing are left undefined: one shape for all messages is cheaper than few members.
  const standing = listener === undefined || headers === undefined ? undefined : true;
  return { text, method, id, headers, signal, standing };
}
