import type { Lock } from '../kernel/index.js';

/** A lock that is released when all who need it are done. */
export class SharedLock {
  readonly #lock: Lock | undefined;
  #holders = 1;

  constructor(lock: Lock | undefined) {
    this.#lock = lock;
  }

  share(): () => Promise<void> {
    this.#holders++;
    return () => this.release();
  }

  async release(): Promise<void> {
    if (--this.#holders === 0) await this.#lock?.release();
  }
}
