import type { Load } from './options.js';

/** A call that can be told to stop. */
export interface RunningCall {
  /** Its place among those that run, or -1. Kept by `RunningCalls` alone. */
  slot: number;
  readonly principal: string;
  stop(reason: string): void;
}

/** Calls that are not answered yet, for whoever has to wait for them. */
export class RunningCalls {
  // Not a Set: finding a call by its place costs less, and leaves nothing behind for the collector.
  readonly #calls: RunningCall[] = [];
  readonly #load: Load | undefined;
  #onIdle: (() => void) | undefined;

  constructor(load?: Load) {
    this.#load = load;
  }

  get size(): number {
    return this.#calls.length;
  }

  /** One that goes on after it asked something is here already. */
  add(call: RunningCall): void {
    if (call.slot !== -1) return;
    call.slot = this.#calls.push(call) - 1;
    this.#load?.begin(call.principal);
  }

  delete(call: RunningCall): void {
    if (call.slot !== -1) {
      this.#remove(call);
      this.#load?.end(call.principal);
    }
    if (this.#calls.length === 0) this.#onIdle?.();
  }

  /** Resolves when no call is left, after `graceMs` at the latest. */
  idle(graceMs: number): Promise<void> {
    if (this.#calls.length === 0 || graceMs <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  stopAll(reason: string): void {
    // A copy: what stops leaves the list.
    for (const call of this.#calls.slice()) call.stop(reason);
  }

  /** The last one takes the place of the one that leaves. */
  #remove(call: RunningCall): void {
    const { slot } = call;
    call.slot = -1;
    const last = this.#calls.pop();
    if (last === undefined || last === call) return;
    this.#calls[slot] = last;
    last.slot = slot;
  }
}
