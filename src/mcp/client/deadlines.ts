import type { Clock } from './clock.js';

/** A timer that fires later than this found a process that stood still. */
const LATE_MS = 50;
const LONGEST_SECOND_LOOK_MS = 1_000;

interface Timed {
  readonly deadline: number;
}

/**
 * Watches over many waits with one timer. It is set for the earliest deadline known and found again when it fires, so a
 * wait that ends in time costs nothing here. Time in which the process stood still is no fault of the peer, whose answer
 * may have come meanwhile and wait to be read: then there is a second look a little later.
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
    const due = Math.max(deadline, now);
    this.#cancel = this.#clock.after(due - now, () => {
      const lateBy = this.#clock.now() - due;
      if (lateBy <= LATE_MS) this.#sweep();
      else this.#cancel = this.#clock.after(Math.min(lateBy, LONGEST_SECOND_LOOK_MS), () => this.#sweep());
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
