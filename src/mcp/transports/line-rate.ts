const WINDOW_MS = 1000;

/** So many a second, the rest is counted. One window at a time: no timer, no list of moments. */
export class LineRate {
  readonly #perSecond: number;
  readonly #now: () => number;
  #windowStart = Number.NEGATIVE_INFINITY;
  #taken = 0;
  #dropped = 0;

  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  take(): boolean {
    const now = this.#now();
    if (now - this.#windowStart >= WINDOW_MS) {
      this.#windowStart = now;
      this.#taken = 0;
    }
    if (this.#taken < this.#perSecond) {
      this.#taken++;
      return true;
    }
    this.#dropped++;
    return false;
  }

  /** How many were refused since this was last asked. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }
}
