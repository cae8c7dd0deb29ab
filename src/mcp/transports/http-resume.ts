import type { RequestId } from '../jsonrpc/index.js';
import type { SseEvent } from '../sse/index.js';
import type { Deadlined } from './http-deadlines.js';
import { GetStream, type StreamOwner, type StreamSource } from './http-get-stream.js';
import { isResumableId, type SessionHeaders } from './http-headers.js';
import { TransportError, type TransportErrorCode } from './transport.js';

const FIRST_DELAY_MS = 1000;
const GROWTH = 1.5;
const MAX_DELAY_MS = 30_000;
/** Even if a server asks for none. */
export const MIN_DELAY_MS = 100;

/** How long to wait before connecting again. What the server asked for counts, within reason. */
export function reconnectDelay(attempt: number, retryMs: number | undefined): number {
  return Math.min(retryMs ?? FIRST_DELAY_MS * GROWTH ** attempt, MAX_DELAY_MS);
}

export interface BrokenStream {
  /** Of the request whose answer is missing. */
  readonly id: RequestId | undefined;
  /** When the exchange began. */
  readonly since: number;
  readonly standing: boolean;
  readonly lastEventId: string;
  readonly retryMs: number | undefined;
  /** As the broken request sent them. */
  readonly state: SessionHeaders;
  readonly attempts: number;
  /** What is left of the bound on the whole stream. */
  readonly remainingBytes: number;
}

export interface ResumeOwner {
  event(event: SseEvent): void;
  ignoresLog(): boolean;
  fail(error: TransportError): void;
}

/** Faults that another attempt would only repeat. */
const FINAL: ReadonlySet<TransportErrorCode> = new Set([
  'ABORTED',
  'TIMEOUT_TOTAL',
  'SSE_EVENT_DATA_TOO_LARGE',
  'SSE_STREAM_TOO_LARGE',
  'INVALID_SSE_EVENT_DATA',
  'MCP_SESSION_NOT_FOUND',
]);

/**
 * The rest of a request's event stream after its connection broke: GET with `Last-Event-ID`, a bounded number of times.
 * The server replays what came after that event. The request itself is never sent again. A server may also let us poll,
 * that is, end connections on purpose: one that was ended in order and brought the stream further is no failed attempt.
 */
export class ResumedStream implements StreamOwner, Deadlined {
  slot = -1;
  readonly id: RequestId | undefined;
  readonly #source: StreamSource;
  readonly #owner: ResumeOwner;
  readonly #broken: BrokenStream;
  #lastEventId: string;
  #retryMs: number | undefined;
  #attempt = 0;
  #remainingBytes: number;
  #timer: NodeJS.Timeout | undefined;
  #stream: GetStream | undefined;
  #over = false;

  constructor(source: StreamSource, owner: ResumeOwner, broken: BrokenStream) {
    this.#source = source;
    this.#owner = owner;
    this.#broken = broken;
    this.id = broken.id;
    this.#lastEventId = broken.lastEventId;
    this.#retryMs = broken.retryMs;
    this.#remainingBytes = broken.remainingBytes;
    this.#schedule();
  }

  close(): void {
    this.#over = true;
    clearTimeout(this.#timer);
    this.#source.endpoint.deadlines.delete(this);
    this.#stream?.close();
  }

  event(event: SseEvent): void {
    this.#owner.event(event);
  }

  ignoresLog(): boolean {
    return this.#owner.ignoresLog();
  }

  closed(error: TransportError): void {
    const stream = this.#stream;
    this.#stream = undefined;
    if (stream !== undefined) {
      this.#remainingBytes -= stream.received;
      this.#retryMs = stream.retryMs ?? this.#retryMs;
      if (isResumableId(stream.lastEventId) && stream.lastEventId !== this.#lastEventId) {
        this.#lastEventId = stream.lastEventId;
        if (stream.ended) return this.#poll();
      }
    }
    if (FINAL.has(error.code)) return this.#fail(error.code, error.message, error.status);
    const { status } = error;
    // A refusal, unlike an outage, stays one.
    if (status !== undefined && status >= 300 && status < 500) {
      return this.#fail('SSE_STREAM_LOST', 'the server does not resume the event stream', status);
    }
    this.#schedule();
  }

  /** While waiting between two attempts; a request under way has limits of its own. */
  expire(now: number): void {
    const { totalMs } = this.#source.endpoint.timeouts;
    if (this.#broken.standing || now - this.#broken.since < totalMs) return;
    this.#fail('TIMEOUT_TOTAL', `not finished within ${totalMs} ms`);
  }

  cancel(message: string): void {
    this.#fail('ABORTED', message);
  }

  #schedule(): void {
    if (this.#over) return;
    if (this.#attempt >= this.#broken.attempts) {
      return this.#fail(
        'SSE_STREAM_LOST',
        `the event stream broke and ${this.#attempt} attempts did not bring it back`,
      );
    }
    this.#connectIn(reconnectDelay(this.#attempt++, this.#retryMs));
  }

  #poll(): void {
    this.#attempt = 0;
    this.#connectIn(Math.max(reconnectDelay(0, this.#retryMs), MIN_DELAY_MS));
  }

  #connectIn(delayMs: number): void {
    this.#source.endpoint.deadlines.add(this);
    this.#timer = setTimeout(() => this.#connect(), delayMs);
  }

  #connect(): void {
    this.#source.endpoint.deadlines.delete(this);
    const { since, standing, state } = this.#broken;
    const limits = { ...this.#source.limits, streamBytes: this.#remainingBytes };
    this.#stream = new GetStream({ ...this.#source, limits }, this, { since, standing, id: this.id });
    this.#stream.open(state, this.#lastEventId);
  }

  /** The message itself was accepted long ago, so whatever happens here, it may have been acted on. */
  #fail(code: TransportErrorCode, message: string, status?: number): void {
    if (this.#over) return;
    this.close();
    this.#owner.fail(new TransportError(code, message, status === undefined ? {} : { status }));
  }
}
