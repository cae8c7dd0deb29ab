import type { ExchangeHeaders } from '../exchange.js';
import type { MaybePromise } from '../maybe-promise.js';
import type { EventStream } from './event-stream.js';

/** Whether a client that showed this may go on listening. */
export type MayListen = (principal: string, headers: ExchangeHeaders) => MaybePromise<boolean>;

interface Opener {
  readonly principal: string;
  readonly headers: ExchangeHeaders;
}

/** Streams on which clients hear what they did not ask for, with what each showed when it opened its own. */
export class ListeningStreams {
  readonly #open = new Map<EventStream, Opener>();

  add(stream: EventStream, principal: string, headers: ExchangeHeaders): void {
    this.#open.set(stream, { principal, headers });
  }

  delete(stream: EventStream): void {
    this.#open.delete(stream);
  }

  /** Ends those whose clients may not listen any more. */
  async review(mayListen: MayListen): Promise<void> {
    await Promise.all(
      [...this.#open].map(async ([stream, { principal, headers }]) => {
        if (!(await mayListen(principal, headers))) stream.end();
      }),
    );
  }
}
