import { HubError, type LockOptions } from '../kernel/index.js';

/** One waiter's place in the line. */
interface Waiter {
  readonly wake: () => void;
  readonly fail: (error: HubError) => void;
}

/** Locks inside one process, handed over in the order of asking. */
export class LocalLocks {
  /** Held names, each with those who wait for it. */
  readonly #lines = new Map<string, Waiter[]>();
  #closed = false;

  /** How to release it, or undefined if it was not free in time. */
  async acquire(
    name: string,
    { waitMs, signal }: Pick<LockOptions, 'waitMs' | 'signal'>,
  ): Promise<(() => void) | undefined> {
    if (this.#closed) throw closing();
    if (signal?.aborted === true) throw givenUp();
    const line = this.#lines.get(name);
    if (line === undefined) this.#lines.set(name, []);
    else if (waitMs <= 0 || !(await waitIn(line, waitMs, signal))) return undefined;
    let held = true;
    return () => {
      if (held) this.#handOver(name);
      held = false;
    };
  }

  /** Whoever waits is told. */
  close(): void {
    this.#closed = true;
    for (const line of this.#lines.values()) for (const { fail } of line.splice(0)) fail(closing());
  }

  #handOver(name: string): void {
    const next = this.#lines.get(name)?.shift();
    if (next === undefined) this.#lines.delete(name);
    else next.wake();
  }
}

/** True when its turn has come. Whoever leaves the line early is no longer in it, so a turn is never given to nobody. */
function waitIn(line: Waiter[], waitMs: number, signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      const at = line.indexOf(waiter);
      if (at >= 0) line.splice(at, 1);
    };
    const waiter: Waiter = {
      wake() {
        settle();
        resolve(true);
      },
      fail(error) {
        settle();
        reject(error);
      },
    };
    const abort = () => waiter.fail(givenUp());
    const timer = setTimeout(() => {
      settle();
      resolve(false);
    }, waitMs);
    signal?.addEventListener('abort', abort);
    line.push(waiter);
  });
}

export function givenUp(): HubError {
  return new HubError('cancelled', 'waiting for a lock was given up');
}

export function closing(): HubError {
  return new HubError('shutting_down', 'the hub is shutting down');
}
