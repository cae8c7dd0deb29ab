import { statusError } from './http-errors.js';
import type { StreamSource } from './http-get-stream.js';
import { postHeaders, type AnswerHeaders, type SessionHeaders } from './http-headers.js';
import { provideHeaders } from './http-options.js';
import { HttpRequest, type AnswerHandler } from './http-request.js';
import { TransportError, type Outgoing } from './transport.js';

/** Delivers one message to the address the server named. Its answer comes on the event stream. */
export class LegacyPost implements AnswerHandler {
  readonly #source: StreamSource;
  readonly #outgoing: Outgoing;
  readonly #request: HttpRequest;
  #resolve: () => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(source: StreamSource, outgoing: Outgoing) {
    this.#source = source;
    this.#outgoing = outgoing;
    this.#request = new HttpRequest(source.endpoint, this, { since: source.endpoint.deadlines.now() });
  }

  run(path: string, state: SessionHeaders): Promise<void> {
    if (this.#outgoing.id !== undefined) this.#source.endpoint.pacer.expect();
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#outgoing.signal?.addEventListener('abort', this);
      provideHeaders(
        this.#source.headers,
        (provided) => {
          const headers = postHeaders(this.#outgoing, provided, state);
          this.#request.send('POST', headers, this.#outgoing.text, path);
        },
        (error) => {
          this.#request.abort();
          this.#settle(error);
        },
      );
    });
  }

  /** The signal was aborted. */
  handleEvent(): void {
    const { mayHaveArrived } = this.#request;
    this.#request.abort();
    this.#settle(new TransportError('ABORTED', 'the request was aborted', { mayHaveArrived }));
  }

  head(status: number, headers: AnswerHeaders): void {
    this.#request.drain();
    this.#settle(status < 300 ? undefined : statusError(status, headers, false));
  }

  bytes(): void {}

  end(): void {}

  fail(error: TransportError): void {
    this.#settle(error);
  }

  #settle(error: unknown): void {
    this.#outgoing.signal?.removeEventListener('abort', this);
    if (error === undefined) this.#resolve();
    else this.#reject(error);
  }
}
