import type { Logger } from '../kernel/index.js';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** One run at a time. Asked for while it runs, it runs once more; failed, it is tried again until it succeeds. */
export class RepeatedTask {
  readonly #task: () => Promise<void>;
  readonly #logger: Logger;
  readonly #what: string;
  #running = false;
  #again = false;
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;
  #stopped = false;
  #waiting: (() => void)[] = [];

  /** `what` is for the log: what could not be done. */
  constructor(task: () => Promise<void>, logger: Logger, what: string) {
    this.#task = task;
    this.#logger = logger;
    this.#what = what;
  }

  request(): void {
    if (this.#stopped) return;
    this.#again = true;
    if (!this.#running) void this.#run();
  }

  /** When what was asked for until now has succeeded. */
  done(): Promise<void> {
    if (this.#stopped || (!this.#running && this.#failures === 0)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#retry);
    this.#settle();
  }

  async #run(): Promise<void> {
    this.#running = true;
    clearTimeout(this.#retry);
    while (this.#again && !this.#stopped) {
      this.#again = false;
      try {
        await this.#task();
        this.#failures = 0;
      } catch (error) {
        this.#logger.error({ error: error instanceof Error ? error.message : '' }, this.#what);
        const pause = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures++, LONGEST_PAUSE_MS);
        this.#retry = setTimeout(() => this.request(), pause);
        this.#retry.unref();
        break;
      }
    }
    this.#running = false;
    if (this.#failures === 0) this.#settle();
  }

  #settle(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
