import type { Logger } from '../kernel/index.js';
import type { InstanceStore } from '../storage/index.js';

const BEAT_MS = 10_000;
/** Several beats: one that came late must not make a living process count as gone. */
export const GONE_MS = 45_000;
const FORGET_MS = 86_400_000;

/** This process among those that share the store: others see by its signs of life that its calls are still being made. */
export class Instance {
  readonly id: string;
  readonly #store: InstanceStore;
  readonly #logger: Logger;
  #timer: NodeJS.Timeout | undefined;

  constructor(id: string, store: InstanceStore, logger: Logger) {
    this.id = id;
    this.#store = store;
    this.#logger = logger;
  }

  /** Before the first call is made. */
  async start(): Promise<void> {
    await this.#store.beat(this.id);
    await this.#store.forget(FORGET_MS);
    this.#timer = setInterval(() => void this.#beat(), BEAT_MS);
    this.#timer.unref();
  }

  /** After the last call has ended. May be called twice, also without a start. */
  async stop(): Promise<void> {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    // Not reachable: it counts as gone a little later.
    await this.#store.leave(this.id).catch(() => {});
  }

  async #beat(): Promise<void> {
    try {
      await this.#store.beat(this.id);
    } catch (error) {
      this.#logger.warn(
        { error: error instanceof Error ? error.message : '' },
        'the store could not be told that this hub lives',
      );
    }
  }
}
