/** V8 gives back what a start took when a program has had nothing to do for about ten seconds. */
export const IDLE_MS = 15_000;

/** What is closed or let go is given back in its own time. */
export function settle(ms = 3_000): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
