import { SseDecoder, type SseEvent } from '../sse/index.js';
import { closed, statusError, streamError } from './http-errors.js';
import {
  bareHeaders,
  isPlain,
  mediaTypeOf,
  type AnswerHeaders,
  type SessionHeaders,
} from './http-headers.js';
import { provideHeaders, type HeaderProvider, type HttpLimits } from './http-options.js';
import {
  HttpRequest,
  type AnswerHandler,
  type HttpEndpoint,
  type HttpRequestOptions,
} from './http-request.js';
import { TransportError } from './transport.js';
import { beginsLogMessage, endOfLogEvent } from './unwanted-log.js';

export interface StreamSource {
  readonly endpoint: HttpEndpoint;
  readonly headers: HeaderProvider;
  readonly limits: HttpLimits;
}

export interface StreamOwner {
  /** There is a stream from now on. */
  opened?(): void;
  event(event: SseEvent): void;
  /** Whether nobody wants log messages. */
  ignoresLog(): boolean;
  /** The only and last word. `opened` tells whether there had been a stream. Not called after `close()`. */
  closed(error: TransportError, opened: boolean): void;
}

/** One GET for an event stream, from the request to its end. */
export class GetStream implements AnswerHandler {
  readonly #source: StreamSource;
  readonly #owner: StreamOwner;
  readonly #standing: boolean;
  readonly #request: HttpRequest;
  readonly #decoder: SseDecoder;
  #hadSession = false;
  #opened = false;
  #over = false;
  #received = 0;
  #hadEvents = false;
  #ended = false;

  constructor(source: StreamSource, owner: StreamOwner, options: HttpRequestOptions) {
    this.#source = source;
    this.#owner = owner;
    this.#standing = options.standing ?? false;
    this.#request = new HttpRequest(source.endpoint, this, options);
    const maxDataBytes = source.limits.responseBytes;
    this.#decoder = new SseDecoder({
      maxDataBytes,
      onEvent: (event) => {
        this.#hadEvents = true;
        if (!this.#over) owner.event(event);
      },
      take: (text, at) => {
        const end = endOfLogEvent(text, at, maxDataBytes);
        if (end === -1 || !owner.ignoresLog()) return -1;
        this.#hadEvents = true;
        return end;
      },
      skips: (beginning) => beginsLogMessage(beginning) && owner.ignoresLog(),
    });
  }

  get lastEventId(): string | undefined {
    return this.#decoder.lastEventId;
  }

  get retryMs(): number | undefined {
    return this.#decoder.retryMs;
  }

  /** Whether anything but comments came, wanted or not. */
  get hadEvents(): boolean {
    return this.#hadEvents;
  }

  get received(): number {
    return this.#received;
  }

  /** Whether the server ended it in order. */
  get ended(): boolean {
    return this.#ended;
  }

  open(state: SessionHeaders, lastEventId?: string): void {
    this.#hadSession = state.session !== undefined;
    provideHeaders(
      this.#source.headers,
      (provided) => this.#request.send('GET', bareHeaders(provided, state, lastEventId)),
      (cause) => {
        const details = { cause, mayHaveArrived: false };
        this.#end(new TransportError('CONNECT_FAILED', 'there are no headers for the request', details));
      },
    );
  }

  /** Ends the stream from our side. */
  close(): void {
    this.#over = true;
    // The stream of one request ends soon after its answer; a standing one does not end by itself.
    if (this.#standing) this.#request.abort();
    else this.#request.drain();
  }

  head(status: number, headers: AnswerHeaders): void {
    if (status !== 200) return this.#end(statusError(status, headers, this.#hadSession));
    if (mediaTypeOf(headers) !== 'text/event-stream') {
      this.#end(new TransportError('HTTP_WRONG_CONTENT_TYPE', 'the answer is no event stream', { status }));
    } else if (!isPlain(headers)) {
      this.#end(
        new TransportError('HTTP_INVALID_BODY', 'the answer is encoded although we asked for none', {
          status,
        }),
      );
    } else {
      this.#opened = true;
      this.#owner.opened?.();
    }
  }

  bytes(chunk: Buffer): void {
    this.#received += chunk.length;
    const { streamBytes } = this.#source.limits;
    if (this.#received > streamBytes) {
      return this.#end(
        new TransportError('SSE_STREAM_TOO_LARGE', `the event stream exceeds ${streamBytes} bytes`),
      );
    }
    try {
      this.#decoder.push(chunk);
    } catch (error) {
      this.#end(streamError(error));
    }
  }

  end(): void {
    this.#ended = true;
    this.#end(closed());
  }

  fail(error: TransportError): void {
    this.#end(error);
  }

  #end(error: TransportError): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#opened) this.#request.abort();
    else this.#request.drain();
    this.#owner.closed(error, this.#opened);
  }
}
