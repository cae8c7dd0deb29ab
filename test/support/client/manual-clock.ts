import type { Clock } from '../../../src/mcp/client/index.js';

interface Timer {
  readonly at: number;
  readonly run: () => void;
  readonly keepsAlive: boolean;
}

/** A clock that stands still until it is moved. */
export class ManualClock implements Clock {
  #now = 1000;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  epoch(): number {
    return 1_700_000_000_000 + this.#now;
  }

  after(delayMs: number, run: () => void, keepsAlive = false): () => void {
    const timer: Timer = { at: this.#now + delayMs, run, keepsAlive };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  get waiting(): number {
    return this.#timers.size;
  }

  /** Timers for which a process would stay alive. */
  get keepingAlive(): number {
    return [...this.#timers].filter(({ keepsAlive }) => keepsAlive).length;
  }

  /** Time passes and nothing gets its turn until the clock is moved again. */
  standStill(ms: number): void {
    this.#now += ms;
  }

  /** Lets time pass: timers run in their order, and what they set off gets its turn before the next one. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (;;) {
      const next = [...this.#timers].filter((timer) => timer.at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
      await settle();
    }
    this.#now = end;
    await settle();
  }
}

/** Gives everything that waits for nothing but its turn that turn. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
