import type { Message } from '../jsonrpc/index.js';
import type { SseEvent } from '../sse/index.js';
import { GetStream, type StreamOwner, type StreamSource } from './http-get-stream.js';
import { isResumableId, type SessionHeaders } from './http-headers.js';
import { readMessages, type MessageSink } from './http-messages.js';
import { MIN_DELAY_MS, reconnectDelay } from './http-resume.js';
import type { Receiver, TransportError } from './transport.js';

/** Refusals that may pass: credentials are renewed, load goes down. */
const PASSING: ReadonlySet<number> = new Set([401, 403, 408, 425, 429]);

/**
 * The standing stream of a legacy server, for messages that belong to no request. It is kept open for as long as the
 * session lasts: a connection that ends is replaced, and the server is told the last event that arrived.
 */
export class ServerStream implements StreamOwner, MessageSink {
  readonly #source: StreamSource;
  readonly #state: SessionHeaders;
  readonly #receiver: Receiver;
  /** Resolves when the first attempt has led to something, with whether that is an open stream. */
  readonly ready: Promise<boolean>;
  #settle: (isOpen: boolean) => void = () => {};
  #stream: GetStream | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastEventId: string | undefined;
  #retryMs: number | undefined;
  #fruitless = 0;
  #warned = false;
  #wasOpen = false;
  #over = false;

  constructor(source: StreamSource, state: SessionHeaders, receiver: Receiver) {
    this.#source = source;
    this.#state = state;
    this.#receiver = receiver;
    this.ready = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#connect();
  }

  close(): void {
    this.#over = true;
    this.#settle(false);
    clearTimeout(this.#timer);
    this.#stream?.close();
  }

  opened(): void {
    this.#settle(true);
  }

  event(event: SseEvent): void {
    if (event.event === 'message' && event.data !== '') readMessages(event.data, this);
  }

  ignoresLog(): boolean {
    return this.#receiver.ignoresLog?.(undefined) === true;
  }

  message(message: Message): void {
    if (!this.#over) this.#receiver.message(message, undefined);
  }

  unreadable(why: 'not_json' | 'not_jsonrpc'): void {
    this.#receiver.warn({ code: why, message: 'an event of the server stream is no message' });
  }

  closed(error: TransportError, opened: boolean): void {
    if (this.#over) return;
    this.#settle(false);
    this.#remember();
    this.#wasOpen ||= opened;
    const { status, code } = error;
    // Not offering the stream is the server's right and no fault.
    if (status === 405 || code === 'ABORTED') return this.close();
    const lasting = status !== undefined && status < 500 && !PASSING.has(status);
    const expected = opened && (code === 'CONNECTION_CLOSED' || code === 'TIMEOUT_IDLE');
    // One warning for an outage, not one for each attempt during it.
    if (expected) this.#warned = false;
    else if (!this.#warned) {
      this.#warned = true;
      this.#receiver.warn({ code: 'server_stream_failed', message: `no server stream: ${error.message}` });
    }
    if (lasting) {
      this.close();
      // Before, the same status may only mean that there is no such stream.
      if (this.#wasOpen && code === 'MCP_SESSION_NOT_FOUND') this.#receiver.sessionLost?.();
      return;
    }
    this.#timer = setTimeout(() => this.#connect(), this.#delay(error.retryAfterMs ?? 0));
    this.#fruitless++;
  }

  #delay(atLeast: number): number {
    // Even a server that asks for no pause gets longer and longer ones while its connections bring nothing.
    const patience = this.#fruitless === 0 ? MIN_DELAY_MS : reconnectDelay(this.#fruitless - 1, undefined);
    return Math.max(reconnectDelay(this.#fruitless, this.#retryMs), patience, atLeast);
  }

  #connect(): void {
    const since = this.#source.endpoint.deadlines.now();
    this.#stream = new GetStream(this.#source, this, { since, standing: true });
    this.#stream.open(this.#state, this.#lastEventId);
  }

  #remember(): void {
    const stream = this.#stream;
    this.#stream = undefined;
    if (stream === undefined) return;
    this.#retryMs = stream.retryMs ?? this.#retryMs;
    if (stream.hadEvents) this.#fruitless = 0;
    if (isResumableId(stream.lastEventId)) this.#lastEventId = stream.lastEventId;
  }
}
