import type { AnswerHeaders, AnswerStream, Exchange, ExchangeHeaders } from '../exchange.js';

/** Tells, once, when an exchange is over: it is answered in whole, or nobody waits for that any longer. */
export class WatchedExchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly headers: ExchangeHeaders;
  readonly body: Uint8Array;
  readonly sendParts?: Exchange['sendParts'];
  readonly #inner: Exchange;
  #onDone: (() => void) | undefined;

  constructor(inner: Exchange, onDone: () => void) {
    this.method = inner.method;
    this.target = inner.target;
    this.headers = inner.headers;
    this.body = inner.body;
    this.#inner = inner;
    this.#onDone = onDone;
    inner.onAbort(this.#done);
    if (inner.sendParts !== undefined) this.sendParts = this.#sendParts;
  }

  send(status: number, headers: AnswerHeaders, body?: string | Uint8Array): void {
    this.#inner.send(status, headers, body);
    this.#done();
  }

  stream(status: number, headers: AnswerHeaders): AnswerStream {
    return new WatchedStream(this.#inner.stream(status, headers), this.#done);
  }

  onAbort(listener: () => void): void {
    this.#inner.onAbort(listener);
  }

  readonly #sendParts: NonNullable<Exchange['sendParts']> = (status, headers, parts) => {
    this.#inner.sendParts?.(status, headers, parts);
    this.#done();
  };

  readonly #done = (): void => {
    const onDone = this.#onDone;
    this.#onDone = undefined;
    onDone?.();
  };
}

class WatchedStream implements AnswerStream {
  readonly #inner: AnswerStream;
  readonly #done: () => void;

  constructor(inner: AnswerStream, done: () => void) {
    this.#inner = inner;
    this.#done = done;
  }

  get buffered(): number {
    return this.#inner.buffered;
  }

  write(chunk: string): boolean {
    return this.#inner.write(chunk);
  }

  end(): void {
    this.#inner.end();
    this.#done();
  }

  abort(): void {
    this.#inner.abort();
    this.#done();
  }
}
