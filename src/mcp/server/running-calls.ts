import { TurnoverMap } from '../jsonrpc/index.js';

/** A call that can be told to stop. */
export interface RunningCall {
  stop(reason: string): void;
}

/** Calls that are not answered yet, for whoever has to wait for them. */
export class RunningCalls {
  readonly #calls = new TurnoverMap<RunningCall, true>();
  #onIdle: (() => void) | undefined;

  get size(): number {
    return this.#calls.size;
  }

  add(call: RunningCall): void {
    this.#calls.set(call, true);
  }

  delete(call: RunningCall): void {
    this.#calls.delete(call);
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
    for (const call of this.#calls.keys()) call.stop(reason);
  }
}
