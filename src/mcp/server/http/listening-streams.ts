import type { ExchangeHeaders } from '../exchange.js';
import type { MaybePromise } from '../maybe-promise.js';
import type { EventStream } from './event-stream.js';

/** Whether a client that showed this may go on listening. */
export type MayListen = (principal: string, headers: ExchangeHeaders) => MaybePromise<boolean>;

interface Opener {
  readonly principal: string;
  readonly headers: ExchangeHeaders;
}

/** Asked about at once: whoever is asked may have to look something up for each. */
const AT_ONCE = 32;

/** Streams on which clients hear what they did not ask for, with what each showed when it opened its own. */
export class ListeningStreams {
  readonly #open = new Map<EventStream, Opener>();

  add(stream: EventStream, principal: string, headers: ExchangeHeaders): void {
    this.#open.set(stream, { principal, headers });
  }

  delete(stream: EventStream): void {
    this.#open.delete(stream);
  }

  /** Ends those whose clients may not listen any more, and lets everybody else have their turn in between. */
  async review(mayListen: MayListen): Promise<void> {
    const open = [...this.#open];
    for (let at = 0; at < open.length; at += AT_ONCE) {
      const some = open.slice(at, at + AT_ONCE);
      await Promise.all(
        some.map(async ([stream, { principal, headers }]) => {
          if (stream.open && !(await mayListen(principal, headers))) stream.end();
        }),
      );
      await new Promise(setImmediate);
    }
  }
}
