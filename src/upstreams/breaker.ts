import type { Clock } from '../kernel/index.js';

export interface BreakerOptions {
  readonly clock: Clock;
  /** Signs of death in a row that open it. Zero: it never opens. */
  readonly failures: number;
  /** While it is open, one is let through this often to see whether things are better. */
  readonly trialMs?: number;
  readonly onOpen: (failures: number) => void;
  readonly onClose: (openMs: number) => void;
}

/** `pass`: as usual. `trial`: the one that finds out. A number: nobody for so many milliseconds. */
export type Admission = 'pass' | 'trial' | number;

const TRIAL_MS = 5_000;

/**
 * Notices that a peer does not answer any more, so that not everybody has to find out by waiting. Any answer is a sign
 * of life and closes it; only silence and broken connections in a row open it.
 */
export class Breaker {
  readonly #options: BreakerOptions;
  readonly #trialMs: number;
  #failures = 0;
  #openedAt: number | undefined;
  #nextTrialAt = 0;

  constructor(options: BreakerOptions) {
    this.#options = options;
    this.#trialMs = options.trialMs ?? TRIAL_MS;
  }

  get isOpen(): boolean {
    return this.#openedAt !== undefined;
  }

  /** Signs of death since the last sign of life. */
  get failures(): number {
    return this.#failures;
  }

  /** Until the next one is let through. */
  get waitMs(): number {
    if (this.#openedAt === undefined) return 0;
    return Math.max(0, Math.ceil(this.#nextTrialAt - this.#options.clock.monotonic()));
  }

  /** `insists`: somebody who knows what happened wants to see for himself. */
  admit(insists: boolean): Admission {
    if (this.#openedAt === undefined) return 'pass';
    const { waitMs } = this;
    if (waitMs > 0 && !insists) return waitMs;
    this.#nextTrialAt = this.#options.clock.monotonic() + this.#trialMs;
    return 'trial';
  }

  alive(): void {
    this.#failures = 0;
    if (this.#openedAt === undefined) return;
    const openMs = this.#options.clock.monotonic() - this.#openedAt;
    this.#openedAt = undefined;
    this.#options.onClose(openMs);
  }

  failed(): void {
    const { failures, clock } = this.#options;
    this.#failures++;
    if (this.#openedAt !== undefined || failures === 0 || this.#failures < failures) return;
    this.#openedAt = clock.monotonic();
    this.#nextTrialAt = this.#openedAt + this.#trialMs;
    this.#options.onOpen(this.#failures);
  }
}
