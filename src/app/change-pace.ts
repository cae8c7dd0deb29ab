import type { Clock } from '../kernel/index.js';

const SHORTEST_MS = 250;
const LONGEST_MS = 30_000;
const WINDOW_MS = 60_000;
/** So many looks within a minute are nothing unusual. */
const USUAL = 10;

/**
 * How soon a list is looked at after its upstream said that it changed: soon, so that one look is enough for many notices.
 * One that says so without end is looked at ever less often, or its syncs would drive everything else out of the event
 * log.
 */
export class ChangePace {
  readonly #clock: Clock;
  #looks: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long to wait before the next look. */
  get pauseMs(): number {
    const since = this.#clock.monotonic() - WINDOW_MS;
    this.#looks = this.#looks.filter((at) => at > since);
    return Math.min(SHORTEST_MS * 2 ** Math.max(0, this.#looks.length - USUAL), LONGEST_MS);
  }

  looked(): void {
    this.#looks.push(this.#clock.monotonic());
  }
}
