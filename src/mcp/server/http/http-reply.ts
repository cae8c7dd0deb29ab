import type { Core, WaitingReply } from '../core.js';
import type { Exchange } from '../exchange.js';
import type { LongAnswer } from '../prepared-result.js';
import type { Reply } from '../reply.js';
import { busyHeaders, EMPTY_HEADERS, JSON_HEADERS, STREAM_HEADERS } from './answers.js';
import { EventStream, type MessageStream } from './event-stream.js';
import type { Accepted } from './media-types.js';

/** How many answers one exchange carries. A batch has several and is answered as an array. */
export type Expected = 'one' | number;

/**
 * The answer to a POST: one JSON document, unless something must be said before it. Then, and only then, it becomes a
 * stream of events.
 */
export class HttpReply implements Reply, WaitingReply {
  /** Called once if the client goes away before the answer. */
  onGone: (() => void) | undefined;
  protected readonly core: Core;
  protected readonly exchange: Exchange;
  /** The connection of the stream, once there is one. */
  protected connection: EventStream | undefined;
  readonly #accepted: Accepted;
  readonly #texts: string[] | undefined;
  #expected: number;
  #stream: MessageStream | undefined;
  #watched = false;
  #gone = false;
  #over = false;

  constructor(core: Core, exchange: Exchange, accepted: Accepted, expected: Expected = 'one') {
    this.core = core;
    this.exchange = exchange;
    this.#accepted = accepted;
    this.#texts = expected === 'one' ? undefined : [];
    this.#expected = expected === 'one' ? 1 : expected;
  }

  get carriesMessages(): boolean {
    return (
      this.#accepted.events &&
      this.core.streaming &&
      !this.#over &&
      (this.#stream !== undefined || !this.#gone)
    );
  }

  /** The answer takes longer than this turn: from now on notice if the client leaves, and do not keep it in silence. */
  wait(): void {
    if (this.#over) return;
    this.#watch();
    if (this.#stream === undefined && this.carriesMessages) this.core.slow.add(this);
  }

  push(text: string, droppable: boolean): boolean {
    if (!this.carriesMessages) return false;
    return this.#openStream().send(text, droppable);
  }

  /** False when it could not be delivered. */
  answer(text: string, status: number, retryAfterMs?: number): boolean {
    if (this.#over) return false;
    const last = --this.#expected === 0;
    if (last) this.#finish();
    if (this.#stream !== undefined) {
      const sent = this.#stream.send(text, false);
      if (last) this.#stream.end();
      return sent;
    }
    if (this.#gone) return false;
    // Of several answers none has a status of its own, so all of them go the same way.
    if (!this.#accepted.json && (status === 200 || this.#texts !== undefined))
      return this.#answerAsStream(text, last);
    if (this.#texts === undefined) {
      const isRefusal = status === 429 || status === 503;
      this.exchange.send(status, isRefusal ? busyHeaders(retryAfterMs) : JSON_HEADERS, text);
    } else {
      this.#texts.push(text);
      if (last) this.#sendBatch();
    }
    return true;
  }

  answerLong(answer: LongAnswer): boolean {
    const { exchange } = this;
    const isPlain = this.#stream === undefined && this.#texts === undefined && this.#accepted.json;
    if (this.#over || this.#gone || !isPlain || exchange.sendParts === undefined)
      return this.answer(answer.toString(), 200);
    this.#finish();
    exchange.sendParts(200, JSON_HEADERS, [answer.head, answer.result, answer.tail]);
    return true;
  }

  drop(): void {
    if (this.#over) return;
    if (--this.#expected > 0) return;
    this.#finish();
    if (this.#stream !== undefined) this.#stream.end();
    else if (this.#gone) return;
    else if (this.#texts !== undefined && this.#texts.length > 0) this.#sendBatch();
    else if (this.#accepted.events && this.core.streaming) this.exchange.send(200, STREAM_HEADERS, '');
    else this.exchange.send(202, EMPTY_HEADERS);
  }

  /** Opens the stream before there is anything to say, so that it can be kept alive. */
  becomeStream(): void {
    if (this.#stream === undefined && this.carriesMessages) this.#openStream();
  }

  /** Lets go of the connection where the client can come back for the rest. */
  disconnect(): void {}

  /** What a stream for this exchange is made of. */
  protected makeStream(): MessageStream {
    this.connection = new EventStream(this.core, this.exchange);
    this.connection.onLost = () => this.onGone?.();
    return this.connection;
  }

  #answerAsStream(text: string, last: boolean): boolean {
    if (!this.core.streaming) return false;
    const stream = (this.#stream = this.makeStream());
    this.#watch();
    const sent = stream.send(text, false);
    if (last) stream.end();
    return sent;
  }

  #sendBatch(): void {
    this.exchange.send(200, JSON_HEADERS, `[${this.#texts?.join(',') ?? ''}]`);
  }

  #openStream(): MessageStream {
    if (this.#stream !== undefined) return this.#stream;
    this.core.slow.delete(this);
    this.#stream = this.makeStream();
    this.#watch();
    // What was answered before one of its neighbours needed a stream.
    for (const text of this.#texts?.splice(0) ?? []) this.#stream.send(text, false);
    return this.#stream;
  }

  #watch(): void {
    if (this.#watched) return;
    this.#watched = true;
    this.exchange.onAbort(() => this.#aborted());
  }

  #aborted(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.core.slow.delete(this);
    if (this.connection === undefined) this.onGone?.();
    else this.connection.gone();
  }

  #finish(): void {
    this.#over = true;
    this.core.slow.delete(this);
  }
}
