import type { CallStage } from '../../contract/index.js';
import type { Clock } from '../../kernel/index.js';

export interface FinishedStage {
  readonly stage: CallStage;
  readonly ms: number;
  /** What of the stage went by waiting for people; not part of `ms`. */
  readonly waitedMs?: number;
}

/** Times the stages of one call. */
export class CallStopwatch {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #onFinished: (finished: FinishedStage) => void;
  #stage: CallStage | undefined = 'lookup';
  #since: number;
  #waiting = 0;
  #waitingSince = 0;
  #waited = 0;

  constructor(clock: Pick<Clock, 'monotonic'>, onFinished: (finished: FinishedStage) => void) {
    this.#clock = clock;
    this.#onFinished = onFinished;
    this.#since = clock.monotonic();
  }

  /** The one that is under way. */
  get stage(): CallStage | undefined {
    return this.#stage;
  }

  begins(stage: CallStage | undefined): void {
    const now = this.#clock.monotonic();
    const waited = this.#waited + (this.#waiting > 0 ? now - this.#waitingSince : 0);
    if (this.#stage !== undefined)
      this.#onFinished({
        stage: this.#stage,
        ms: Math.max(0, now - this.#since - waited),
        ...(waited > 0 && { waitedMs: waited }),
      });
    this.#stage = stage;
    this.#since = now;
    this.#waited = 0;
    this.#waitingSince = now;
  }

  /** Somebody is being asked until the returned function is called. */
  waits(): () => void {
    if (this.#waiting++ === 0) this.#waitingSince = this.#clock.monotonic();
    return () => {
      if (--this.#waiting === 0) this.#waited += this.#clock.monotonic() - this.#waitingSince;
    };
  }
}
