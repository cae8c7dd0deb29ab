import type { Clock } from '../kernel/index.js';

const FIRST_MS = 2_000;
const LONGEST_MS = 5 * 60_000;

interface Entry {
  readonly failures: number;
  readonly until: number;
}

/** After a failure nobody tries again for a while, which doubles up to five minutes. */
export class BackOff {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #entries = new Map<string, Entry>();

  constructor({ clock, random = Math.random }: { readonly clock: Clock; readonly random?: () => number }) {
    this.#clock = clock;
    this.#random = random;
  }

  /** How long to wait before the next try; with `long`, the longest time at once. */
  failed(key: string, long = false): number {
    const failures = (this.#entries.get(key)?.failures ?? 0) + 1;
    const pause = Math.min(FIRST_MS * 2 ** (failures - 1) * (0.75 + this.#random() / 4), LONGEST_MS);
    const wait = long ? LONGEST_MS : pause;
    this.#entries.set(key, { failures, until: this.#clock.monotonic() + wait });
    return wait;
  }

  remaining(key: string): number {
    return Math.max(0, (this.#entries.get(key)?.until ?? 0) - this.#clock.monotonic());
  }

  forget(key: string): void {
    this.#entries.delete(key);
  }
}
