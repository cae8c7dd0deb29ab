import type { RequestId } from '../jsonrpc/index.js';

/** Something that waits. It knows its own limits and asks to be left out once it is over. */
export interface Deadlined {
  /** Its place among those that wait, or -1. Kept by `Deadlines` alone. */
  slot: number;
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
  // Not a Set: when a Set is used as a queue, its outgrown tables stay linked to the current one, and after the first of
  // them has grown old, the collector keeps everything that ever passed through.
  readonly #waiting: Deadlined[] = [];
  readonly #tickMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(shortestMs: number) {
    this.#tickMs = Math.min(MAX_TICK_MS, Math.max(MIN_TICK_MS, Math.floor(shortestMs / 10)));
  }

  now(): number {
    return performance.now();
  }

  add(entry: Deadlined): void {
    if (entry.slot !== -1) return;
    entry.slot = this.#waiting.push(entry) - 1;
    this.#timer ??= setInterval(() => this.#tick(), this.#tickMs).unref();
  }

  delete(entry: Deadlined): void {
    const { slot } = entry;
    if (slot === -1) return;
    entry.slot = -1;
    const last = this.#waiting.pop();
    if (last === undefined || last === entry) return;
    this.#waiting[slot] = last;
    last.slot = slot;
  }

  cancel(id: RequestId, message: string): void {
    this.#waiting.find((entry) => entry.id === id)?.cancel(message);
  }

  // Both go through a copy: what ends leaves the list.

  cancelAll(message: string): void {
    for (const entry of this.#waiting.slice()) if (entry.slot !== -1) entry.cancel(message);
  }

  #tick(): void {
    // Stopped by the tick after the last one left, not by leaving: calls that follow each other share the timer.
    if (this.#waiting.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const now = this.now();
    for (const entry of this.#waiting.slice()) if (entry.slot !== -1) entry.expire(now);
  }
}
