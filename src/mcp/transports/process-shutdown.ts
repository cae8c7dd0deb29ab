import { setTimeout as sleep } from 'node:timers/promises';

import type { ProcessTree } from './process-tree.js';

/** In milliseconds. After both the whole process group is killed. */
export interface ShutdownTimes {
  /** How long the child may take after its input has ended. */
  readonly stdinMs: number;
  /** How long it may take after SIGTERM. */
  readonly termMs: number;
}

/** `input`: end its input and wait. `term`: it is past listening to its input. `kill`: it is not to be trusted. */
export type ShutdownStep = 'input' | 'term' | 'kill';

export interface Shutdown {
  readonly tree: ProcessTree;
  /** Resolves when the child itself was reaped. */
  readonly exited: Promise<void>;
  readonly endInput: () => void;
  readonly from: ShutdownStep;
  readonly times: ShutdownTimes;
}

const POLL_MS = 50;
/** A killed process is gone at once, unless the kernel holds it; that is not ours to wait for. */
const KILL_MS = 800;

/**
 * Ends a child and all its descendants: end of input, SIGTERM, SIGKILL (stdio transport, shutdown). Each step waits
 * for the whole tree, so a launcher that goes first does not leave its server behind, nor does a server lose its time
 * to clean up because the launcher was quick. Takes no longer than the given times and a second; never rejects.
 */
export async function endProcessTree(shutdown: Shutdown): Promise<void> {
  const { tree, exited, endInput, from, times } = shutdown;
  // Before anything can make a parent exit: its children are re-parented then and no longer told apart.
  if (!(await tree.survey())) return;
  endInput();
  if (from === 'input' && (await isGoneWithin(tree, exited, times.stdinMs))) return;
  if (from !== 'kill') {
    tree.signal('SIGTERM');
    if (await isGoneWithin(tree, exited, times.termMs)) return;
  }
  const deadline = performance.now() + KILL_MS;
  do {
    // Again and again: whoever was forked between the look and the signal shows up in the next look.
    tree.signal('SIGKILL');
  } while (!(await isGoneWithin(tree, exited, POLL_MS)) && performance.now() < deadline);
}

/** When it says no, the tree was surveyed a moment ago. */
async function isGoneWithin(tree: ProcessTree, exited: Promise<void>, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms;
  await settledWithin(exited, ms);
  for (;;) {
    if (!(await tree.survey())) return true;
    const left = deadline - performance.now();
    if (left <= 0) return false;
    await sleep(Math.min(POLL_MS, left));
  }
}

async function settledWithin(promise: Promise<void>, ms: number): Promise<void> {
  const timeout = new AbortController();
  const late = sleep(ms, undefined, { signal: timeout.signal }).catch(() => {});
  await Promise.race([promise, late]);
  timeout.abort();
}
