export interface Clock {
  /** Milliseconds since 1970, for dates that are kept. */
  now(): number;
  /** Milliseconds that never go back, for durations and expiries. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
