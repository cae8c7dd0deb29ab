import { SlotList, type Slotted } from '../jsonrpc/index.js';
import type { Load } from './options.js';

/** A call that can be told to stop. */
export interface RunningCall extends Slotted {
  readonly principal: string;
  stop(reason: string): void;
}

/** Calls that are not answered yet, for whoever has to wait for them. */
export class RunningCalls {
  readonly #calls = new SlotList<RunningCall>();
  readonly #load: Load | undefined;
  #onIdle: (() => void) | undefined;

  constructor(load?: Load) {
    this.#load = load;
  }

  get size(): number {
    return this.#calls.size;
  }

  /** One that goes on after it asked something is here already. */
  add(call: RunningCall): void {
    if (this.#calls.add(call)) this.#load?.begin(call.principal);
  }

  delete(call: RunningCall): void {
    if (this.#calls.delete(call)) this.#load?.end(call.principal);
    if (this.#calls.size === 0) this.#onIdle?.();
  }

  /** Resolves when no call is left, after `graceMs` at the latest. */
  idle(graceMs: number): Promise<void> {
    if (this.#calls.size === 0 || graceMs <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  stopAll(reason: string): void {
    this.#calls.forEach((call) => call.stop(reason));
  }
}
