import { adviceForCalls } from './advice.js';
import { failed, ok, skipped, type Step } from './step.js';

/** How one call ended, as the log has it. */
export interface RecentCall {
  readonly outcome: string;
  readonly error?: string | undefined;
}

/** Below this share of failures a connector is well. */
const ALARMING = 0.2;

/** What the last calls of a connector have in common. The way there may be fine and calls fail all the same. */
export function explainCalls(id: string, calls: readonly RecentCall[]): Step {
  if (calls.length === 0) return skipped('calls', 'none yet');
  const wrong = calls.filter(({ outcome }) => outcome !== 'ok');
  const told = `${calls.length - wrong.length} of the last ${calls.length} went well`;
  if (wrong.length <= calls.length * ALARMING) return ok('calls', told);
  const [commonest, count] = commonestOf(wrong);
  return failed('calls', `${told}; ${count} ended with ${commonest}`, adviceForCalls(commonest, id));
}

function commonestOf(calls: readonly RecentCall[]): readonly [string, number] {
  const counts = new Map<string, number>();
  for (const { error, outcome } of calls) {
    const name = error ?? outcome;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)[0] ?? ['', 0];
}
