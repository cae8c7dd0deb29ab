import type { Clock } from './clock.js';

interface Timed {
  readonly deadline: number;
}

/**
 * Watches over many waits with one timer. It is set for the earliest deadline known and found again when it fires, so a
 * wait that ends in time costs nothing here.
 */
export class Deadlines<Wait extends Timed> {
  readonly #clock: Clock;
  readonly #waits: Iterable<Wait>;
  readonly #expired: (wait: Wait, now: number) => void;
  #cancel: (() => void) | undefined;
  #next = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, waits: Iterable<Wait>, expired: (wait: Wait, now: number) => void) {
    this.#clock = clock;
    this.#waits = waits;
    this.#expired = expired;
  }

  /** A new wait, or one whose deadline moved closer. One that moved away needs no word. */
  watch(wait: Wait, now: number): void {
    if (wait.deadline < this.#next) this.#arm(wait.deadline, now);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#next = Number.POSITIVE_INFINITY;
  }

  #arm(deadline: number, now: number): void {
    this.#cancel?.();
    this.#next = deadline;
    this.#cancel = this.#clock.after(deadline - now, () => {
      this.#sweep();
    });
  }

  #sweep(): void {
    this.stop();
    const now = this.#clock.now();
    const late: Wait[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (const wait of this.#waits) {
      // Timers may fire a fraction of a millisecond early.
      if (wait.deadline <= now + 1) late.push(wait);
      else if (wait.deadline < next) next = wait.deadline;
    }
    if (next !== Number.POSITIVE_INFINITY) this.#arm(next, now);
    for (const wait of late) this.#expired(wait, now);
  }
}
