import type { Clock } from '../kernel/index.js';
import { UpstreamPaused } from './upstream-paused.js';

/** `caller`: somebody who needs it now. `hub`: looks from time to time. `admin`: knows, and wants it tried. */
export type StartWish = 'caller' | 'hub' | 'admin';

const MOST_ENDINGS = 5;
const WINDOW_MS = 60_000;
const FIRST_PAUSE_MS = 250;
/** How often the hub itself looks whether a process that failed can be started after all. */
const PATIENT_MS = 300_000;

/**
 * How often the processes of one identity may be started. One that ends is started anew at once, then after growing
 * pauses; after five ends within a minute it counts as failed, and is left alone until somebody asks for it.
 */
export class StartLimit {
  readonly #clock: Clock;
  readonly #name: string;
  #endings: number[] = [];
  #lastReason = '';
  #failed = false;
  #nextLookAt = 0;

  constructor(name: string, clock: Clock) {
    this.#name = name;
    this.#clock = clock;
  }

  get hasFailed(): boolean {
    return this.#failed;
  }

  /** Whether there is anything to remember. */
  get isClear(): boolean {
    this.#forgetOld();
    return !this.#failed && this.#endings.length === 0;
  }

  /** Throws unless a process may be started now. */
  require(wish: StartWish): void {
    const now = this.#clock.monotonic();
    if (wish === 'admin') return;
    if (!this.#failed) {
      const wait = this.#pauseEndsAt() - now;
      if (wait > 0)
        throw new UpstreamPaused(
          'restarting',
          `${this.#name}: its process ended and is started again soon`,
          wait,
        );
      return;
    }
    if (wish === 'hub' && now >= this.#nextLookAt) {
      this.#nextLookAt = now + PATIENT_MS;
      return;
    }
    throw this.failure();
  }

  /** One ended unbidden, or never stood. True when that was once too often. */
  ended(reason: string): boolean {
    this.#lastReason = reason;
    const now = this.#clock.monotonic();
    this.#forgetOld();
    this.#endings.push(now);
    if (this.#failed || this.#endings.length < MOST_ENDINGS) return false;
    this.#failed = true;
    this.#nextLookAt = now + PATIENT_MS;
    return true;
  }

  /** A process was started and answers. True when it had failed before. */
  stands(): boolean {
    const recovered = this.#failed;
    if (recovered) this.#endings = [];
    this.#failed = false;
    return recovered;
  }

  failure(): UpstreamPaused {
    const wait = Math.max(0, Math.ceil(this.#nextLookAt - this.#clock.monotonic()));
    return new UpstreamPaused(
      'process_failed',
      `${this.#name}: its process ended ${MOST_ENDINGS} times within a minute and is not started again; sync the connector to try. Last: ${this.#lastReason}`,
      wait,
    );
  }

  #pauseEndsAt(): number {
    this.#forgetOld();
    const last = this.#endings.at(-1);
    if (last === undefined || this.#endings.length === 1) return Number.NEGATIVE_INFINITY;
    return last + FIRST_PAUSE_MS * 2 ** (this.#endings.length - 2);
  }

  #forgetOld(): void {
    const since = this.#clock.monotonic() - WINDOW_MS;
    if ((this.#endings[0] ?? since) < since) this.#endings = this.#endings.filter((at) => at >= since);
  }
}
