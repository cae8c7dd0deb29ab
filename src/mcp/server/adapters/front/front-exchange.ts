import type { AnswerHeaders, AnswerStream, Exchange, ExchangeHeaders } from '../../exchange.js';
import { FAILED, TOO_SLOW, type EarlyAnswer } from '../entry.js';
import type { AnswerTexts } from './answer-text.js';
import type { PendingAnswer } from './answer-turn.js';
import type { FrontConnection, FrontTarget } from './front-connection.js';
import type { RequestHead } from './request-head.js';

const NO_BODY = new Uint8Array();

/** One request that was read without `node:http`, from its head to its answer. */
export class FrontExchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly headers: ExchangeHeaders;
  body: Uint8Array = NO_BODY;
  readonly #connection: FrontConnection;
  readonly #texts: AnswerTexts;
  readonly #served: FrontTarget;
  #principal: string | undefined;
  readonly #hasBody: boolean;
  #isWhole = false;
  /** The answer has begun, or there will be none. */
  #isAnswered = false;
  #isComplete = false;
  #onGone: (() => void)[] | undefined;

  constructor(connection: FrontConnection, texts: AnswerTexts, served: FrontTarget, head: RequestHead) {
    this.#connection = connection;
    this.#texts = texts;
    this.#served = served;
    this.method = head.method;
    this.target = head.target;
    this.headers = head.headers;
    this.#hasBody = head.length > 0;
  }

  /** The head is there; perhaps the body is too. */
  start(body: Uint8Array | undefined): void {
    const { entry } = this.#served;
    this.#isWhole = body !== undefined;
    if (body !== undefined) this.body = body;
    try {
      const early = entry.check(this.method, this.target, this.headers);
      if (early !== undefined) return this.#refuse(early, true);
      const principal = entry.identify(this.headers, this.#connection.socket);
      if (!(principal instanceof Promise)) return this.#identified(principal, true);
      principal.then(
        (known) => this.#identified(known, false),
        () => this.#refuse(FAILED, !this.#isWhole),
      );
    } catch {
      this.#refuse(FAILED, true);
    }
  }

  receive(body: Uint8Array): void {
    this.body = body;
    this.#isWhole = true;
    if (this.#principal !== undefined) this.#served.server.handle(this, this.#principal);
  }

  send(status: number, headers: AnswerHeaders, body?: string | Uint8Array): void {
    if (this.#isAnswered || this.#connection.isGone) return;
    const head = this.#texts.head(status, headers, this.#sharing(), false, Date.now());
    const bytes = byteLength(body);
    const length = status === 204 ? '' : `content-length: ${bytes}\r\n`;
    this.#isAnswered = true;
    this.#complete();
    this.#connection.answer(`${head}${length}\r\n`, body, false, body?.length === bytes);
  }

  sendParts(status: number, headers: AnswerHeaders, parts: readonly (string | Uint8Array)[]): void {
    if (this.#isAnswered || this.#connection.isGone) return;
    const head = this.#texts.head(status, headers, this.#sharing(), false, Date.now());
    let bytes = 0;
    let isAscii = true;
    for (const part of parts) {
      const size = byteLength(part);
      bytes += size;
      if (size !== part.length) isAscii = false;
    }
    this.#isAnswered = true;
    this.#complete();
    this.#connection.answerParts(`${head}content-length: ${bytes}\r\n\r\n`, parts, isAscii);
  }

  stream(status: number, headers: AnswerHeaders): AnswerStream {
    const head = this.#texts.head(status, headers, this.#sharing(), false, Date.now());
    const begun = this.#isAnswered || this.#connection.isGone;
    this.#isAnswered = true;
    return new FrontStream(
      this.#connection,
      begun ? undefined : `${head}Transfer-Encoding: chunked\r\n\r\n`,
      () => this.#complete(),
    );
  }

  onAbort(listener: () => void): void {
    if (this.#isComplete) return;
    if (this.#connection.isGone) listener();
    else (this.#onGone ??= []).push(listener);
  }

  /** The peer is gone. */
  gone(): void {
    const listeners = this.#onGone ?? [];
    this.#onGone = undefined;
    this.#isAnswered = true;
    if (!this.#isComplete) for (const listener of listeners) listener();
  }

  /** The body took too long. */
  expire(): void {
    this.#refuse(TOO_SLOW, true);
  }

  #identified(principal: string | EarlyAnswer, atOnce: boolean): void {
    if (typeof principal !== 'string') return this.#refuse(principal, atOnce || !this.#isWhole);
    this.#principal = principal;
    if (this.#isWhole) this.#served.server.handle(this, principal);
  }

  /** `isUnread`: what is left of a body is not read, so the connection ends with the answer. */
  #refuse(answer: EarlyAnswer, isUnread: boolean): void {
    if (this.#isAnswered || this.#connection.isGone) return;
    const isLast = isUnread && this.#hasBody;
    this.#isAnswered = true;
    this.#complete();
    const shared = this.#served.entry.isShared(answer) ? this.#sharing() : undefined;
    const head = this.#texts.head(answer.status, answer.headers, shared, isLast, Date.now());
    const length = answer.body === undefined ? '' : `content-length: ${byteLength(answer.body)}\r\n`;
    this.#connection.answer(`${head}${length}\r\n`, answer.body, isLast);
  }

  #sharing(): AnswerHeaders | undefined {
    return this.headers['origin'] === undefined ? undefined : this.#served.entry.sharing(this.headers);
  }

  #complete(): void {
    this.#isComplete = true;
    this.#onGone = undefined;
  }
}

function byteLength(body: string | Uint8Array | undefined): number {
  if (body === undefined) return 0;
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}

/** Beyond this much, what one turn of the event loop wrote does not wait for its end. */
const MOST_PENDING = 64 * 1024;

/** An answer in chunks. What is written within one turn of the event loop is one of them, and one write to the socket. */
class FrontStream implements AnswerStream, PendingAnswer {
  readonly #connection: FrontConnection;
  readonly #ended: () => void;
  /** The head travels with the first events if those come at once, and alone if they do not. */
  #head: string | undefined;
  #pending = '';
  #isScheduled = false;
  #isEnding = false;
  #isOver: boolean;

  constructor(connection: FrontConnection, head: string | undefined, ended: () => void) {
    this.#connection = connection;
    this.#ended = ended;
    this.#head = head;
    this.#isOver = head === undefined;
    this.#schedule();
  }

  get buffered(): number {
    return this.#connection.socket.writableLength + this.#pending.length;
  }

  write(chunk: string): boolean {
    if (this.#isOver || this.#isEnding || this.#connection.isGone) return false;
    this.#pending += chunk;
    if (this.#pending.length > MOST_PENDING) this.#write();
    else if (!this.#isScheduled) this.#schedule();
    return !this.#connection.socket.writableNeedDrain;
  }

  end(): void {
    if (this.#isOver || this.#isEnding || this.#connection.isGone) return;
    this.#ended();
    this.#isEnding = true;
    this.#connection.turn.leave(this);
  }

  abort(): void {
    this.#isOver = true;
    this.#connection.socket.destroy();
  }

  #schedule(): void {
    this.#isScheduled = true;
    this.#connection.turn.leaveLast(this);
  }

  flush(): void {
    this.#isScheduled = false;
    this.#write();
  }

  #write(): void {
    if (this.#isOver || this.#connection.isGone) return;
    const last = this.#isEnding ? '0\r\n\r\n' : '';
    const chunk = this.#pending;
    const bytes = Buffer.byteLength(chunk);
    const body = bytes === 0 ? '' : `${bytes.toString(16)}\r\n${chunk}\r\n`;
    const text = (this.#head ?? '') + body + last;
    this.#head = undefined;
    this.#pending = '';
    // The rest is ours and ASCII. Such text need not be looked through for what is not.
    if (text !== '') this.#connection.socket.write(text, bytes === chunk.length ? 'latin1' : 'utf8');
    if (!this.#isEnding) return;
    this.#isOver = true;
    this.#connection.answered(false);
  }
}
