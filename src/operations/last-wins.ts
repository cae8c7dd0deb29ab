import { isHubError } from '../kernel/index.js';

/** Each time somebody else was faster, so there is no need for many. */
const TRIES = 5;

/**
 * Whoever names no version wants the last change to win. Turns see to that within a process; a change that another replica
 * got ahead of is made again, on what is there now.
 */
export function lastWins<Result>(
  expectedVersion: number | undefined,
  change: () => Promise<Result>,
): () => Promise<Result> {
  return async () => {
    for (let left = expectedVersion === undefined ? TRIES : 1; ; left--) {
      try {
        return await change();
      } catch (error) {
        if (left === 1 || !isHubError(error, 'precondition_failed')) throw error;
      }
    }
  };
}
