import type { JsonObject, NotificationMessage } from '../jsonrpc/index.js';
import { ClientError } from './client-error.js';
import { sleep, type Clock } from './clock.js';
import type { CallOptions, OngoingCall } from './options.js';

/** What is the same for every call of a kind. */
export interface CallPlan {
  /** Makes what the caller gets of a complete result, or throws `ClientError`. */
  readonly shape: (result: JsonObject) => unknown;
  /** Whether asking twice does no harm. */
  readonly repeatable: boolean;
  /** Something that a caller wants to have, who may want to decide about repeating it. */
  readonly read?: boolean;
  /** Progress gives it more time for its answer, so some is asked for even if nobody wants to hear of it. */
  readonly extendable?: boolean;
  /** Part of something larger that starts over as a whole when the session is lost. */
  readonly part?: boolean;
  /** One round only: requests for input and task handles are handed to the caller. */
  readonly raw?: boolean;
  /** Task handles are handed to the caller; what is asked before there is one is answered. */
  readonly hands?: boolean;
}

export interface StreamListener {
  notified(notification: NotificationMessage): void;
}

export interface CallOwner {
  /** Its caller gave up before the call was settled. */
  aborted(call: Call, reason: string | undefined): void;
}

const NO_OPTIONS: CallOptions = {};

/**
 * One request of a caller and its promise. It may be sent more than once, each time under a new id: after a request for
 * input, after a refusal that is no execution, after a lost session.
 */
export class Call implements OngoingCall {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly options: CallOptions;
  readonly plan: CallPlan;
  readonly #owner: CallOwner;
  readonly #resolve: (value: unknown) => void;
  readonly #reject: (error: Error) => void;
  #settled = false;

  /** The id under which it is on the wire now. */
  id = -1;
  /** The params of the round under way, without what belongs to the hop. */
  body: JsonObject | undefined;
  /** In which session of its connection it was sent. */
  generation = 0;
  /** Ends the HTTP exchange. */
  exchange: AbortController | undefined;
  /** Ends handlers that work for this call, and pauses of it; fired when it is settled. */
  input: AbortController | undefined;
  /** HTTP status of an error answer. */
  status: number | undefined;
  /** How far the round under way is. */
  lastProgress = Number.NEGATIVE_INFINITY;
  /** What the caller heard last of how far it is, over all rounds. */
  toldProgress = Number.NEGATIVE_INFINITY;
  #progressBase: number | undefined;
  idleMs = 0;
  idleDeadline = 0;
  totalDeadline = 0;
  pausedAt: number | undefined;
  pauses = 0;
  /** For how long it may still be paused. */
  patienceMs = 0;
  rounds = 0;
  repeated = false;
  /** Whether it was sent as one that becomes a task. */
  asksForTask = false;
  refreshed = false;
  /** Receives what belongs to a long-lived stream; such a call has no deadline once it is acknowledged. */
  listener: StreamListener | undefined;

  constructor(
    method: string,
    params: JsonObject | undefined,
    plan: CallPlan,
    options: CallOptions | undefined,
    owner: CallOwner,
    resolve: (value: unknown) => void,
    reject: (error: Error) => void,
  ) {
    this.method = method;
    this.params = params;
    this.plan = plan;
    this.options = options ?? NO_OPTIONS;
    const { timeoutMs, totalMs } = this.options;
    // Nothing would ever end a wait for it.
    if (Number.isNaN(timeoutMs) || Number.isNaN(totalMs)) throw new RangeError('a time-out must be a number');
    this.#owner = owner;
    this.#resolve = resolve;
    this.#reject = reject;
    if (this.options.onAbort === undefined) this.options.signal?.addEventListener('abort', this);
  }

  get tag(): unknown {
    return this.options.tag;
  }

  get caller(): string | undefined {
    return this.options.caller;
  }

  get settled(): boolean {
    return this.#settled;
  }

  /** Whether somebody hears of progress, or it makes a difference. */
  get wantsProgress(): boolean {
    if (this.options.onProgress !== undefined) return true;
    return this.plan.extendable === true && this.idleDeadline < this.totalDeadline;
  }

  /** The time at which it must be given up if nothing happens. */
  get deadline(): number {
    if (this.pausedAt !== undefined) return Number.POSITIVE_INFINITY;
    return this.idleDeadline < this.totalDeadline ? this.idleDeadline : this.totalDeadline;
  }

  startRound(): void {
    this.lastProgress = Number.NEGATIVE_INFINITY;
    this.#progressBase = undefined;
  }

  /**
   * What has to be added to the progress of this round. A round may count from the beginning again or go on where the one
   * before ended; the caller hears one count, which grows.
   */
  baseOf(progress: number): number {
    this.#progressBase ??= progress > this.toldProgress ? 0 : this.toldProgress;
    return this.#progressBase;
  }

  /** While somebody on our side is thinking, the call does not grow older, up to a limit for all such times together. */
  pause(now: number): void {
    if (this.pauses++ === 0) this.pausedAt = now;
  }

  resume(now: number): void {
    if (this.pauses === 0 || --this.pauses > 0 || this.pausedAt === undefined) return;
    const paused = Math.min(now - this.pausedAt, this.patienceMs);
    this.pausedAt = undefined;
    this.patienceMs -= paused;
    this.totalDeadline += paused;
    this.idleDeadline += paused;
    // To ask is a sign of life like any other, and the peer has as long again as after one.
    if (this.patienceMs > 0) this.idleDeadline = Math.max(this.idleDeadline, now + this.idleMs);
  }

  /** Between two requests: resolves after a while, or as soon as the call is settled. */
  async rest(clock: Clock, delayMs: number): Promise<void> {
    if (this.#settled) return;
    this.input ??= new AbortController();
    await sleep(clock, delayMs, this.input.signal);
  }

  resolve(value: unknown): void {
    if (this.#settle()) this.#resolve(value);
  }

  reject(error: Error): void {
    if (this.#settle()) this.#reject(error);
  }

  /** The caller's abort signal calls this. */
  handleEvent(): void {
    this.giveUp(undefined);
  }

  /** The caller does not want it any more. */
  giveUp(reason: string | undefined): void {
    if (!this.#settled) this.#owner.aborted(this, reason);
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    if (this.options.onAbort === undefined) this.options.signal?.removeEventListener('abort', this);
    this.input?.abort();
    return true;
  }
}

export function abortedError(call: Call): ClientError {
  return new ClientError('aborted', `${call.method} was aborted by its caller`, {
    mayHaveArrived: call.id !== -1,
  });
}
