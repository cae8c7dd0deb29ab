import { decodeUtf8, SseDecoder, type SseEvent } from '../sse/index.js';
import { EventProgress } from './event-progress.js';
import { HttpBody } from './http-body.js';
import { kindOfBody, kindOfMediaType, withoutMark, type BodyKind } from './http-body-kind.js';
import { closed, streamError } from './http-errors.js';
import { readMessages, type MessageSink } from './http-messages.js';
import type { HttpLimits } from './http-options.js';
import type { ProgressRead } from './read-progress.js';
import { beginsLogMessage, endOfLogEvent } from './unwanted-log.js';
import { TransportError, type TransportErrorCode, type TransportWarning } from './transport.js';

const OPEN_BRACE = 0x7b;

export interface AnswerSink extends MessageSink {
  event(event: SseEvent): void;
  /** A progress notification of an event stream; false: it is wanted as an event like others. */
  progress(progress: ProgressRead): boolean;
  /** Whether nobody wants log messages. */
  ignoresLog(): boolean;
  warn(warning: TransportWarning): void;
}

/**
 * The body of an answer to a request: JSON or an event stream. The server's word on which counts unless the first
 * characters plainly contradict it. `push` and `end` throw `TransportError`.
 */
export class AnswerReader {
  readonly #declared: BodyKind | undefined;
  readonly #limits: HttpLimits;
  readonly #sink: AnswerSink;
  readonly #body = new HttpBody();
  /** Undefined until the first characters are there. */
  #kind: BodyKind | undefined;
  #decoder: SseDecoder | undefined;
  #streamed = 0;
  #announced = 0;
  /** Of a body that came in one piece: there is no need to keep its bytes. */
  #whole: string | undefined;

  constructor(mediaType: string, limits: HttpLimits, sink: AnswerSink) {
    this.#declared = kindOfMediaType(mediaType);
    this.#limits = limits;
    this.#sink = sink;
  }

  get kind(): BodyKind | undefined {
    return this.#kind;
  }

  get lastEventId(): string | undefined {
    return this.#decoder?.lastEventId;
  }

  get retryMs(): number | undefined {
    return this.#decoder?.retryMs;
  }

  /** Bytes of the event stream so far. */
  get streamed(): number {
    return this.#streamed;
  }

  /** Spares us a body that says of itself that it is too large. */
  announce(length: number): void {
    if (this.#declared === 'sse') return;
    if (length > this.#limits.responseBytes) throw this.#tooLarge();
    this.#announced = length;
  }

  push(chunk: Buffer): void {
    if (this.#kind === 'sse') return this.#feed(chunk);
    if (this.#body.length + chunk.length > this.#limits.responseBytes) throw this.#tooLarge();
    if (chunk.length === this.#announced && chunk[0] === OPEN_BRACE && this.#declared === 'json') {
      this.#kind = 'json';
      this.#whole = decoded(chunk);
      return;
    }
    if (this.#body.length === 0) {
      if (this.#declared === 'sse' && kindOfBody(chunk) === 'sse') {
        this.#kind = 'sse';
        return this.#feed(chunk);
      }
      this.#body.expect(this.#announced);
    }
    this.#body.append(chunk);
    if (this.#kind === undefined) this.#decide(kindOfBody(this.#body.view()));
  }

  end(): void {
    if (this.#kind === undefined) this.#endUndecided();
    if (this.#kind === 'sse') return this.#finishStream();
    readMessages(this.#whole ?? decoded(withoutMark(this.#body.take())), this.#sink);
  }

  #decide(found: BodyKind | 'other' | 'undecided'): void {
    if (found === 'undecided') return;
    const kind = found === 'other' ? this.#declared : found;
    if (kind === undefined) {
      throw fault('HTTP_WRONG_CONTENT_TYPE', 'the answer is neither JSON nor an event stream');
    }
    if (kind !== this.#declared) {
      const shown = kind === 'json' ? 'JSON' : 'an event stream';
      this.#sink.warn({ code: 'wrong_content_type', message: `an answer is ${shown} under another type` });
    }
    this.#kind = kind;
    if (kind === 'sse') this.#feed(this.#body.take());
  }

  #endUndecided(): void {
    if (this.#body.length > 0) return this.#decide('other');
    throw this.#declared === 'sse' ? closed() : fault('HTTP_EMPTY_BODY', 'the answer is empty');
  }

  #feed(chunk: Buffer): void {
    const { streamBytes, responseBytes } = this.#limits;
    this.#streamed += chunk.length;
    if (this.#streamed > streamBytes) {
      throw fault('SSE_STREAM_TOO_LARGE', `the event stream exceeds ${streamBytes} bytes`);
    }
    this.#decoder ??= this.#openDecoder(responseBytes);
    try {
      this.#decoder.push(chunk);
    } catch (error) {
      throw streamError(error);
    }
  }

  #openDecoder(maxDataBytes: number): SseDecoder {
    const sink = this.#sink;
    const progress = EventProgress.fits(maxDataBytes) ? new EventProgress(sink) : undefined;
    return new SseDecoder({
      maxDataBytes,
      onEvent: (event) => sink.event(event),
      take: (text, at) => {
        const next = progress?.take(text, at) ?? -1;
        return next === -1 && sink.ignoresLog() ? endOfLogEvent(text, at, maxDataBytes) : next;
      },
      skips: (beginning) => beginsLogMessage(beginning) && sink.ignoresLog(),
    });
  }

  #finishStream(): void {
    try {
      this.#decoder?.finish();
    } catch (error) {
      throw streamError(error);
    }
  }

  #tooLarge(): TransportError {
    return fault('HTTP_BODY_TOO_LARGE', `the answer exceeds ${this.#limits.responseBytes} bytes`);
  }
}

function decoded(bytes: Buffer): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw fault('HTTP_INVALID_BODY', 'the answer is not valid UTF-8');
  return text;
}

function fault(code: TransportErrorCode, message: string): TransportError {
  return new TransportError(code, message);
}
