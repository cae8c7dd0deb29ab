import type { RequestId } from '../jsonrpc/index.js';
import type { Deadlined, Deadlines } from './http-deadlines.js';
import { networkError, type Stage } from './http-errors.js';
import { mediaTypeOf, type AnswerHeaders } from './http-headers.js';
import type { HttpLines, LineController, LineHandler, LineRequest } from './http-lines.js';
import type { HttpTimeouts } from './http-options.js';
import { endOfEvents, hasFewEvents, ReadBacklog } from './read-backlog.js';
import { FEW_BYTES, type Paced, type ReadPacer } from './read-pacer.js';
import { TransportError, type TransportErrorCode } from './transport.js';

/** Where requests go, and what they share on the way. */
export interface HttpEndpoint {
  readonly lines: HttpLines;
  readonly origin: string;
  readonly path: string;
  readonly timeouts: HttpTimeouts;
  readonly deadlines: Deadlines;
  /** Of all event streams of the server. */
  readonly pacer: ReadPacer;
}

/** Takes one answer: a head, then bytes, then either an end or a failure. A failure may come at any time. */
export interface AnswerHandler {
  head(status: number, headers: AnswerHeaders): void;
  bytes(chunk: Buffer): void;
  end(): void;
  fail(error: TransportError): void;
}

export interface HttpRequestOptions {
  /** When the exchange began to which the request belongs; its total time counts from there. */
  readonly since: number;
  /** Whether the answer is meant to stay open. */
  readonly standing?: boolean;
  /** Of the JSON-RPC request it carries or continues. */
  readonly id?: RequestId | undefined;
}

type Phase = 'preparing' | Stage | 'draining' | 'over';

/** What may still come on a connection worth keeping. Beyond it the connection is cheaper to replace. */
const DRAIN_BYTES = 16 * 1024;
const DRAIN_MS = 1000;
/**
 * One HTTP request and its four time limits. It is registered for them from the start, so that whatever its owner does
 * before sending is limited too. Once it is over, nothing reaches the answer handler. Of an event stream only few events are
 * passed on in one turn of the event loop; the connection is not read meanwhile.
 */
export class HttpRequest implements LineHandler, Deadlined, Paced {
  slot = -1;
  readonly id: RequestId | undefined;
  readonly #endpoint: HttpEndpoint;
  readonly #answer: AnswerHandler;
  readonly #since: number;
  readonly #standing: boolean;
  #phase: Phase = 'preparing';
  #phaseSince: number;
  #drained = 0;
  #controller: LineController | undefined;
  #isStream = false;
  #passedOn = 0;
  /** Whether something that arrived was not passed on yet: what it is, and how the answer ends after it. */
  #isBehind = false;
  #backlog: ReadBacklog | undefined;
  #ending: { readonly error?: unknown } | undefined;

  constructor(endpoint: HttpEndpoint, answer: AnswerHandler, options: HttpRequestOptions) {
    this.#endpoint = endpoint;
    this.#answer = answer;
    this.id = options.id;
    this.#since = options.since;
    this.#standing = options.standing ?? false;
    this.#phaseSince = options.since;
    endpoint.deadlines.add(this);
  }

  /** Whether anything of it may have reached the peer. */
  get mayHaveArrived(): boolean {
    return this.#controller !== undefined;
  }

  send(method: LineRequest['method'], headers: string[], body?: string, path = this.#endpoint.path): void {
    if (this.#phase !== 'preparing') return;
    this.#enter('connecting');
    const { lines, origin, pacer } = this.#endpoint;
    pacer.ask();
    // undici's own time limits are off: ours are finer and tell the phases apart.
    const request: LineRequest = {
      origin,
      path,
      method,
      headers,
      body: body ?? null,
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    try {
      lines.dispatch(request, this);
    } catch (error) {
      this.onResponseError(undefined, error);
    }
  }

  /** The answer is of no more interest. A short rest is read so that the connection can be used again. */
  drain(): void {
    if (this.#phase === 'over') return;
    if (this.#phase !== 'receiving' || this.#ending !== undefined) return this.abort();
    this.#enter('draining');
    if (this.#isBehind) this.#controller?.resume();
    this.#forget();
  }

  /** Closes the connection if the request uses one. */
  abort(): void {
    if (this.#phase === 'over') return;
    this.#finish();
    // After the end of the answer the connection may be somebody else's.
    if (this.#ending === undefined)
      this.#controller?.abort(new TransportError('ABORTED', 'the request was given up'));
  }

  expire(now: number): void {
    const { timeouts } = this.#endpoint;
    if (this.#phase === 'draining') {
      if (now - this.#phaseSince >= DRAIN_MS) this.abort();
      return;
    }
    if (!this.#standing && now - this.#since >= timeouts.totalMs) {
      this.#timeOut('TIMEOUT_TOTAL', `not finished within ${timeouts.totalMs} ms`);
    } else if (this.#phase === 'connecting' && now - this.#phaseSince >= timeouts.connectMs) {
      this.#timeOut('TIMEOUT_CONNECT', `no connection within ${timeouts.connectMs} ms`);
    } else if (this.#phase === 'waiting' && now - this.#phaseSince >= timeouts.firstByteMs) {
      this.#timeOut('TIMEOUT_FIRST_BYTE', `no answer within ${timeouts.firstByteMs} ms`);
    } else if (this.#phase === 'receiving') {
      const idleMs = this.#standing ? timeouts.standingIdleMs : timeouts.idleMs;
      if (now - this.#phaseSince >= idleMs)
        this.#timeOut('TIMEOUT_IDLE', `nothing received for ${idleMs} ms`);
    }
  }

  cancel(message: string): void {
    if (this.#phase === 'over') return;
    const interested = this.#phase !== 'draining';
    this.abort();
    if (interested)
      this.#answer.fail(new TransportError('ABORTED', message, { mayHaveArrived: this.mayHaveArrived }));
  }

  onRequestStart(controller: LineController): void {
    this.#controller = controller;
    if (this.#phase === 'connecting') this.#enter('waiting');
    // Given up while the connection was being made: the request has not been written yet and never will be.
    else controller.abort(new TransportError('ABORTED', 'the request was given up'));
  }

  onResponseStart(_controller: LineController, status: number, headers: AnswerHeaders): void {
    // An informational answer (1xx) announces another; it does not extend the wait for that.
    if (this.#phase !== 'waiting' || status < 200) return;
    this.#enter('receiving');
    this.#isStream = mediaTypeOf(headers) === 'text/event-stream';
    this.#answer.head(status, headers);
  }

  onResponseData(controller: LineController, chunk: Buffer): void {
    if (this.#phase === 'receiving') {
      this.#phaseSince = this.#endpoint.deadlines.now();
      if (this.#isBehind || (this.#isStream && this.#isMuch(chunk))) this.#keep(controller, chunk);
      else this.#answer.bytes(chunk);
    } else if (this.#phase === 'draining') {
      this.#drained += chunk.length;
      if (this.#drained > DRAIN_BYTES) this.abort();
    }
  }

  /** Some of what arrived earlier is passed on. */
  step(): boolean {
    const piece = this.#phase === 'receiving' ? this.#backlog?.take() : undefined;
    if (piece === undefined) return false;
    this.#phaseSince = this.#endpoint.deadlines.now();
    try {
      this.#answer.bytes(piece);
    } catch (error) {
      // One call must not take the process with it.
      this.abort();
      this.#answer.fail(networkError(error, 'receiving'));
    }
    if (this.#backlog?.isEmpty === false) return true;
    if (!this.#isBehind) return false;
    this.#isBehind = false;
    const ending = this.#ending;
    if (ending === undefined) this.#controller?.resume();
    else if ('error' in ending) this.onResponseError(undefined, ending.error);
    else this.onResponseEnd();
    return false;
  }

  onResponseEnd(): void {
    if (this.#isBehind) {
      this.#ending = {};
      this.#controller?.resume();
      return;
    }
    const interested = this.#phase === 'receiving';
    this.#finish();
    if (interested) this.#answer.end();
  }

  onResponseError(_controller: LineController | undefined, error: unknown): void {
    if (this.#isBehind && this.#phase === 'receiving') {
      this.#ending = { error };
      return;
    }
    const phase = this.#phase;
    this.#finish();
    if (phase === 'over' || phase === 'draining') return;
    this.#answer.fail(networkError(error, phase === 'preparing' ? 'connecting' : phase));
  }

  /** Whether a part of an event stream is more than is passed on at once. */
  #isMuch(chunk: Buffer): boolean {
    this.#passedOn += chunk.length;
    if (this.#passedOn <= FEW_BYTES) return false;
    return !this.#endpoint.pacer.admits(chunk.length, this.#phaseSince) && !hasFewEvents(chunk);
  }

  #keep(controller: LineController, chunk: Buffer): void {
    this.#backlog ??= new ReadBacklog(endOfEvents);
    this.#backlog.pushCopy(chunk);
    if (!this.#isBehind) {
      this.#isBehind = true;
      this.#endpoint.pacer.add(this, chunk.length);
      controller.pause();
    }
  }

  #forget(): void {
    this.#isBehind = false;
    this.#backlog = undefined;
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#phaseSince = this.#endpoint.deadlines.now();
  }

  #finish(): void {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.#forget();
    this.#endpoint.deadlines.delete(this);
  }

  #timeOut(code: TransportErrorCode, message: string): void {
    this.abort();
    this.#answer.fail(new TransportError(code, message, { mayHaveArrived: this.mayHaveArrived }));
  }
}
