import { SlotList, type RequestId, type Slotted } from '../jsonrpc/index.js';

/** Something that waits. It knows its own limits and asks to be left out once it is over. */
export interface Deadlined extends Slotted {
  /** The request it waits for, if it is one. */
  readonly id: RequestId | undefined;
  /** Ends itself if it has waited too long. */
  expire(now: number): void;
  /** Ends itself at once, with code `ABORTED` and this message. */
  cancel(message: string): void;
}

const MIN_TICK_MS = 5;
const MAX_TICK_MS = 500;

/**
 * One timer for everything a transport waits for: arming and clearing a timer for each call costs more than looking
 * through the few that are under way. A limit is kept to within a tenth of the shortest one, at most half a second.
 */
export class Deadlines {
  readonly #waiting = new SlotList<Deadlined>();
  readonly #tickMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(shortestMs: number) {
    this.#tickMs = Math.min(MAX_TICK_MS, Math.max(MIN_TICK_MS, Math.floor(shortestMs / 10)));
  }

  now(): number {
    return performance.now();
  }

  add(entry: Deadlined): void {
    if (this.#waiting.add(entry)) this.#timer ??= setInterval(() => this.#tick(), this.#tickMs).unref();
  }

  delete(entry: Deadlined): void {
    this.#waiting.delete(entry);
  }

  cancel(id: RequestId, message: string): void {
    this.#waiting.find((entry) => entry.id === id)?.cancel(message);
  }

  cancelAll(message: string): void {
    this.#waiting.forEach((entry) => entry.cancel(message));
  }

  #tick(): void {
    // Stopped by the tick after the last one left, not by leaving: calls that follow each other share the timer.
    if (this.#waiting.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const now = this.now();
    this.#waiting.forEach((entry) => entry.expire(now));
  }
}
