/** Time as the client needs it. Passed in, so that tests need not wait. */
export interface Clock {
  /** Milliseconds that only grow; for durations. */
  now(): number;
  /** Milliseconds since 1970; for what outlives the process. */
  epoch(): number;
  /**
   * Runs once, later. The returned function prevents it. A waiting timer keeps the process alive only where that is asked
   * for: where nothing else is open of what somebody waits for.
   */
  after(delayMs: number, run: () => void, keepsAlive?: boolean): () => void;
}

const LONGEST_TIMER = 2 ** 31 - 1;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => performance.now(),
  epoch: () => Date.now(),
  after(delayMs, run, keepsAlive = false) {
    const timer = setTimeout(run, Math.min(Math.max(delayMs, 0), LONGEST_TIMER));
    if (!keepsAlive) timer.unref();
    return () => {
      clearTimeout(timer);
    };
  },
};

/**
 * Resolves when the time is over or the signal aborts, whichever is first; the caller looks at the signal. The process
 * stays alive for it, so the signal has to abort when nobody waits any more.
 */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const finish = (): void => {
      cancel();
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const cancel = clock.after(delayMs, finish, true);
    signal?.addEventListener('abort', finish);
  });
}
