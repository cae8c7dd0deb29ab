import { HubError, type Clock } from '../kernel/index.js';
import { AttemptWindow } from './attempt-window.js';

const WRONG = { limit: 20, windowMs: 60_000 };
const ALL = { limit: 200, windowMs: 10_000 };

/** Anybody may call where authorization servers send people back to. Nobody may keep us busy or fill the log with it. */
export class CallbackLimits {
  readonly #clock: Clock;
  readonly #wrong = new AttemptWindow(WRONG);
  readonly #all = new AttemptWindow(ALL);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws `rate_limited`. Before anything is looked up. */
  require(address: string): void {
    const now = this.#clock.monotonic();
    const retryAfterMs = Math.max(this.#wrong.blockedFor(address, now), this.#all.blockedFor('all', now));
    if (retryAfterMs > 0)
      throw new HubError('rate_limited', 'too many answers: wait a while', { retryAfterMs });
    this.#all.note('all', now);
  }

  /** Whether it is worth writing down. */
  wrong(address: string): boolean {
    return this.#wrong.note(address, this.#clock.monotonic());
  }
}
