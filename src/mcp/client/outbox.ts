export interface OutboxOptions {
  send(text: string): Promise<void>;
  /** An answer did not leave, or would have had to wait behind too many. */
  onLost(): void;
}

/** So many may wait for a server that asks faster than it reads. */
const MOST_WAITING = 1_000;

/**
 * Answers leave in the order in which they were found, one after another. A list and no chain of promises: V8 follows
 * such a chain to its end for the stack of each error, so that thousands that fail would take minutes.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #waiting: string[] = [];
  #isSending = false;
  #sending: Promise<void> | undefined;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Until everything that waits has left, or was lost; undefined where nothing waits. */
  get sending(): Promise<void> | undefined {
    return this.#isSending ? this.#sending : undefined;
  }

  post(text: string): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#options.onLost();
      return;
    }
    this.#waiting.push(text);
    if (!this.#isSending) this.#sending = this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    for (let text = this.#waiting.shift(); text !== undefined; text = this.#waiting.shift()) {
      try {
        await this.#options.send(text);
      } catch {
        this.#options.onLost();
      }
    }
    this.#isSending = false;
  }
}
