import type { Clock, Logger } from '../kernel/index.js';
import type { InstanceStore } from '../storage/index.js';

const BEAT_MS = 10_000;
/** After one that failed. */
const AGAIN_MS = 1_000;
/** Two beats may fail. */
const UNHEARD_MS = 25_000;
/** Several beats: one that came late must not make a living process count as gone. */
export const GONE_MS = 45_000;
const FORGET_MS = 86_400_000;

export interface InstanceOptions {
  readonly id: string;
  readonly store: InstanceStore;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly logger: Logger;
}

/** This process among those that share the store: others see by its signs of life that its calls are still being made. */
export class Instance {
  readonly id: string;
  readonly #options: InstanceOptions;
  #timer: NodeJS.Timeout | undefined;
  #heardAt = 0;
  #isTold = false;
  #isStopped = false;

  constructor(options: InstanceOptions) {
    this.id = options.id;
    this.#options = options;
  }

  /** Whether the store takes what it is told, as far as is known without asking. */
  get isHeard(): boolean {
    return this.#timer === undefined || this.#options.clock.monotonic() - this.#heardAt < UNHEARD_MS;
  }

  /** Before the first call is made. */
  async start(): Promise<void> {
    const { store, clock } = this.#options;
    await store.beat(this.id);
    this.#heardAt = clock.monotonic();
    await store.forget(FORGET_MS);
    this.#beatIn(BEAT_MS);
  }

  /** After the last call has ended. May be called twice, also without a start. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // Not reachable: it counts as gone a little later.
    await this.#options.store.leave(this.id).catch(() => {});
  }

  #beatIn(ms: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.#beat(), ms);
    this.#timer.unref();
  }

  async #beat(): Promise<void> {
    const { store, clock, logger } = this.#options;
    try {
      await store.beat(this.id);
      this.#heardAt = clock.monotonic();
      this.#isTold = false;
      this.#beatIn(BEAT_MS);
    } catch (error) {
      const message = error instanceof Error ? error.message : '';
      if (!this.#isTold)
        logger.warn({ error: message }, 'the store could not be told that this hub lives; it is tried again');
      this.#isTold = true;
      this.#beatIn(AGAIN_MS);
    }
  }
}
