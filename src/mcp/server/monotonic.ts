/** Milliseconds that only grow, whatever is done to the clock of the machine; for durations and expiries. */
export function monotonic(): number {
  return performance.now();
}
