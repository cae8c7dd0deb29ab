import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * One process is started in each turn of the event loop: that takes milliseconds in which nothing else happens, on a busy
 * machine tens of them, and whoever starts fifty would stand still for seconds.
 */
export class SpawnTurns {
  #last: Promise<void> = Promise.resolve();

  /** Settles when it is the caller's turn, in the order of the calls. */
  next(): Promise<void> {
    this.#last = this.#last.then(() => nextTurn());
    return this.#last;
  }
}
