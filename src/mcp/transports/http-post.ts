import type { Message, RequestId } from '../jsonrpc/index.js';
import type { SseEvent } from '../sse/index.js';
import { AnswerReader, type AnswerSink } from './http-answer.js';
import { HttpBody } from './http-body.js';
import { closed, isDecidedByStatus, statusError } from './http-errors.js';
import type { StreamSource } from './http-get-stream.js';
import {
  isModern,
  isPlain,
  isResumableId,
  isSessionId,
  mediaTypeOf,
  postHeaders,
  sessionOf,
  type AnswerHeaders,
} from './http-headers.js';
import { peerErrorIn, readMessages } from './http-messages.js';
import type { ProvidedHeaders } from './http-options.js';
import type { ProgressRead } from './read-progress.js';
import { HttpRequest, type AnswerHandler } from './http-request.js';
import { ResumedStream } from './http-resume.js';
import type { HttpSession } from './http-session.js';
import {
  TransportError,
  type Outgoing,
  type Receiver,
  type TransportErrorCode,
  type TransportWarning,
} from './transport.js';

/** What the exchanges of one transport share. */
export interface PostContext extends StreamSource {
  readonly session: HttpSession;
  readonly receiver: Receiver;
}

/** An error object fits in here; a page of HTML need not. */
const REFUSAL_BYTES = 64 * 1024;

/** One message to the server and everything that comes back on its account. Settles once. */
export class PostExchange implements AnswerHandler, AnswerSink {
  readonly #context: PostContext;
  readonly #outgoing: Outgoing;
  readonly #since: number;
  readonly #modern: boolean;
  readonly #request: HttpRequest;
  #resolve: () => void = noop;
  #reject: (error: unknown) => void = noop;
  #settled = false;
  #session: string | undefined;
  #newSession: string | undefined;
  #status = 0;
  #headers: AnswerHeaders = {};
  #answer: AnswerReader | undefined;
  #refusalBody: HttpBody | undefined;
  #resumed: ResumedStream | undefined;
  #sawUnreadable = false;

  constructor(context: PostContext, outgoing: Outgoing) {
    this.#context = context;
    this.#outgoing = outgoing;
    this.#since = context.endpoint.deadlines.now();
    this.#modern = isModern(outgoing);
    this.#request = new HttpRequest(context.endpoint, this, {
      since: this.#since,
      standing: outgoing.standing ?? false,
      id: outgoing.id,
    });
  }

  run(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#outgoing.signal?.addEventListener('abort', this);
      try {
        const provided = this.#context.headers();
        if (!(provided instanceof Promise)) return this.#send(provided);
        provided.then(
          (headers) => this.#send(headers),
          (error: unknown) => this.#giveUp(error),
        );
      } catch (error) {
        this.#giveUp(error);
      }
    });
  }

  /** The signal was aborted. */
  handleEvent(): void {
    const { mayHaveArrived } = this.#request;
    this.#giveUp(new TransportError('ABORTED', 'the request was aborted', { mayHaveArrived }));
  }

  #send(provided: ProvidedHeaders): void {
    const { session } = this.#context;
    const { method, text } = this.#outgoing;
    // A handshake begins anew, whatever went before; a modern message has no session.
    const fresh = method === 'initialize';
    this.#session = fresh || this.#modern ? undefined : session.session;
    const revision = fresh ? undefined : session.revision;
    this.#request.send(
      'POST',
      postHeaders(this.#outgoing, provided, { session: this.#session, revision }),
      text,
    );
  }

  head(status: number, headers: AnswerHeaders): void {
    this.#status = status;
    this.#headers = headers;
    if (status >= 300) return this.#refused();
    if (this.#outgoing.id === undefined) {
      this.#request.drain();
      return this.#succeed();
    }
    if (!isPlain(headers)) {
      return this.#fault('HTTP_INVALID_BODY', 'the answer is encoded although we asked for none');
    }
    if (this.#outgoing.method === 'initialize') {
      const session = sessionOf(headers);
      if (isSessionId(session)) this.#newSession = session;
      else if (session !== undefined) return this.#fault('HTTP_INVALID_BODY', 'the session id is unfit');
    }
    try {
      this.#answer = new AnswerReader(mediaTypeOf(headers), this.#context.limits, this);
      this.#answer.announce(Number(headers['content-length']));
    } catch (error) {
      this.#giveUp(error);
    }
  }

  bytes(chunk: Buffer): void {
    if (this.#refusalBody !== undefined) {
      this.#refusalBody.append(chunk);
      if (this.#refusalBody.length > REFUSAL_BYTES) this.#judgeRefusal(undefined);
      return;
    }
    try {
      this.#answer?.push(chunk);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  end(): void {
    if (this.#refusalBody !== undefined) return this.#judgeRefusal(this.#refusalBody.take());
    try {
      this.#answer?.end();
    } catch (error) {
      return this.#giveUp(error);
    }
    if (this.#settled) return;
    if (this.#answer?.kind === 'sse') this.#lost(closed());
    else this.#fault('HTTP_INVALID_BODY', 'the answer holds no response to the request');
  }

  fail(error: TransportError): void {
    if (error.code === 'MCP_SESSION_NOT_FOUND' && this.#session !== undefined) {
      this.#context.session.lose(this.#session);
    }
    if (this.#refusalBody !== undefined) this.#judgeRefusal(undefined);
    else if (this.#answer?.kind === 'sse' && error.code === 'CONNECTION_CLOSED') this.#lost(error);
    else this.#giveUp(error);
  }

  event(event: SseEvent): void {
    if (!this.#settled && event.event === 'message' && event.data !== '') readMessages(event.data, this);
  }

  progress(progress: ProgressRead): boolean {
    const { id } = this.#outgoing;
    const { receiver } = this.#context;
    if (receiver.progress === undefined) return false;
    if (!this.#settled && id !== undefined) receiver.progress(progress, id);
    return true;
  }

  ignoresLog(): boolean {
    const { id } = this.#outgoing;
    return id !== undefined && this.#context.receiver.ignoresLog?.(id) === true;
  }

  warn(warning: TransportWarning): void {
    this.#context.receiver.warn(warning);
  }

  message(message: Message): void {
    const { id } = this.#outgoing;
    if (this.#settled || id === undefined) return;
    if (message.kind !== 'result' && message.kind !== 'error') {
      return this.#context.receiver.message(message, id);
    }
    if (message.id === id) return this.#answered(message, id);
    if (!this.#isMeant(message.id, id)) return this.#context.receiver.message(message, id);
    this.#answered({ ...message, id }, id);
  }

  unreadable(why: 'not_json' | 'not_jsonrpc', id: RequestId | undefined): void {
    if (this.#settled) return;
    if (
      this.#answer?.kind === 'sse' &&
      (why === 'not_json' || (id !== undefined && id === this.#outgoing.id))
    ) {
      return this.#fault('INVALID_SSE_EVENT_DATA', 'the data of an event is not a JSON-RPC message');
    }
    this.#sawUnreadable = true;
    this.warn({ code: why, message: 'a part of an answer is no message' });
  }

  /** Whether an answer without our exact id is ours all the same, being alone on the answer to our request. */
  #isMeant(id: RequestId | undefined, ours: RequestId): boolean {
    if (id === undefined) return true;
    if (String(id) !== String(ours)) return false;
    this.#context.receiver.warn({
      code: 'wrong_id_type',
      message: 'an answer repeats our id in another type',
    });
    return true;
  }

  #answered(message: Message, id: RequestId): void {
    if (this.#outgoing.method === 'initialize' && message.kind === 'result') {
      this.#context.session.begin(this.#newSession);
    }
    this.#context.receiver.message(message, id);
    this.#request.drain();
    this.#resumed?.close();
    this.#succeed();
  }

  #refused(): void {
    const hadSession = this.#session !== undefined;
    if (this.#status === 404 && this.#session !== undefined) this.#context.session.lose(this.#session);
    const silent = this.#outgoing.id === undefined || !isPlain(this.#headers);
    if (silent || isDecidedByStatus(this.#status, this.#headers, hadSession)) this.#judgeRefusal(undefined);
    else this.#refusalBody = new HttpBody();
  }

  /** The body of a refusal may be the peer's own error; otherwise the status has to do. */
  #judgeRefusal(body: Buffer | undefined): void {
    this.#request.drain();
    const { id } = this.#outgoing;
    const lacksSession = this.#lacksSession();
    // Servers that miss a session say so without an id, or with one of their own.
    const error = body === undefined || id === undefined ? undefined : peerErrorIn(body, id, !lacksSession);
    if (error !== undefined) {
      this.#context.receiver.message(error, id, this.#status);
      this.#succeed();
    } else if (this.#settle()) {
      this.#reject(
        lacksSession
          ? new TransportError('HTTP_SESSION_REQUIRED', 'the server wants a session first', { status: 400 })
          : statusError(this.#status, this.#headers, this.#session !== undefined),
      );
    }
  }

  /** A legacy server refuses so what comes without a session that it wants (2025-11-25, Session Management). */
  #lacksSession(): boolean {
    const expected = !this.#modern && this.#outgoing.method !== 'initialize';
    return this.#status === 400 && this.#session === undefined && expected;
  }

  /** The stream broke before the response. */
  #lost(error: TransportError): void {
    const { limits } = this.#context;
    const lastEventId = this.#answer?.lastEventId;
    if (
      this.#resumed === undefined &&
      !this.#modern &&
      limits.sseReconnects > 0 &&
      isResumableId(lastEventId)
    ) {
      this.#resumed = new ResumedStream(this.#context, this, {
        id: this.#outgoing.id,
        since: this.#since,
        standing: this.#outgoing.standing ?? false,
        lastEventId,
        retryMs: this.#answer?.retryMs,
        state: { session: this.#session, revision: this.#context.session.revision },
        attempts: limits.sseReconnects,
        remainingBytes: limits.streamBytes - (this.#answer?.streamed ?? 0),
      });
    } else if (this.#sawUnreadable) {
      this.#fault('INVALID_SSE_EVENT_DATA', 'the event stream ended without a response that could be read');
    } else {
      this.#giveUp(error);
    }
  }

  #fault(code: TransportErrorCode, message: string): void {
    this.#giveUp(new TransportError(code, message, { status: this.#status }));
  }

  #giveUp(error: unknown): void {
    this.#request.abort();
    this.#resumed?.close();
    if (this.#settle()) this.#reject(error);
  }

  #succeed(): void {
    if (this.#settle()) this.#resolve();
  }

  #settle(): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    this.#outgoing.signal?.removeEventListener('abort', this);
    return true;
  }
}

function noop(): void {}
