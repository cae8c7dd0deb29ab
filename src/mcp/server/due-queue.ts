import { TurnoverMap } from '../jsonrpc/index.js';

/**
 * Things that fall due after the same delay, in the order they were added: one timer for all of them, and nothing to
 * cancel when one is taken out early.
 */
export class DueQueue<T> {
  readonly #delayMs: number;
  readonly #onDue: (item: T) => void;
  readonly #now: () => number;
  readonly #dueAt = new TurnoverMap<T, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(delayMs: number, now: () => number, onDue: (item: T) => void) {
    this.#delayMs = delayMs;
    this.#now = now;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#dueAt.size;
  }

  /** Adding something again starts its delay anew. */
  add(item: T): void {
    this.#dueAt.delete(item);
    this.#dueAt.set(item, this.#now() + this.#delayMs);
    if (this.#timer === undefined) this.#arm(this.#delayMs);
  }

  delete(item: T): void {
    this.#dueAt.delete(item);
  }

  clear(): void {
    this.#dueAt.clear();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #arm(delayMs: number): void {
    this.#timer = setTimeout(this.#fire, delayMs);
    this.#timer.unref();
  }

  readonly #fire = (): void => {
    const now = this.#now();
    try {
      // Until the end the timer counts as set: what is added meanwhile falls due after whatever waits already.
      for (let due = this.#first(); due !== undefined && due[1] <= now; due = this.#first()) {
        this.#dueAt.delete(due[0]);
        this.#onDue(due[0]);
      }
    } finally {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      const next = this.#first();
      if (next !== undefined) this.#arm(Math.max(1, next[1] - this.#now()));
    }
  };

  #first(): [T, number] | undefined {
    for (const entry of this.#dueAt) return entry;
    return undefined;
  }
}
