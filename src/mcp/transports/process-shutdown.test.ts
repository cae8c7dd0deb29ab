import { expect, test } from 'vitest';

import { endProcessTree, type ShutdownStep } from './process-shutdown.js';
import type { ProcessTree } from './process-tree.js';

/** A tree that ends at the given step, root first when `rootEndsAt` says so. */
function scripted(endsAt: string, rootEndsAt: string = endsAt) {
  const steps: string[] = [];
  let alive = true;
  let markExited = () => {};
  const exited = new Promise<void>((resolve) => {
    markExited = resolve;
  });
  const step = (name: string) => {
    if (steps.at(-1) !== name) steps.push(name);
    if (name === endsAt) alive = false;
    if (name === rootEndsAt) markExited();
  };
  const tree: ProcessTree = {
    pid: 1,
    rootExited: () => {},
    survey: async () => alive,
    pids: () => [],
    signal: step,
    killNow: () => {},
  };
  const run = (from: ShutdownStep, times = { stdinMs: 30, termMs: 30 }) =>
    endProcessTree({ tree, exited, endInput: () => step('input'), from, times });
  return { run, steps };
}

test.each([
  ['heeds the end of input', 'input', 'input', 'input', ['input']],
  ['heeds SIGTERM', 'input', 'SIGTERM', 'SIGTERM', ['input', 'SIGTERM']],
  ['needs SIGKILL', 'input', 'SIGKILL', 'SIGKILL', ['input', 'SIGTERM', 'SIGKILL']],
  ['root goes first, the rest needs SIGTERM', 'input', 'SIGTERM', 'input', ['input', 'SIGTERM']],
  ['root goes first, the rest needs SIGKILL', 'input', 'SIGKILL', 'SIGTERM', ['input', 'SIGTERM', 'SIGKILL']],
  ['left behind by an exit', 'term', 'SIGTERM', 'input', ['input', 'SIGTERM']],
  ['not to be trusted', 'kill', 'SIGKILL', 'SIGKILL', ['input', 'SIGKILL']],
] as const)('C51: %s', async (_name, from, endsAt, rootEndsAt, expected) => {
  const { run, steps } = scripted(endsAt, rootEndsAt);
  await run(from);
  expect(steps).toEqual(expected);
});

test('a tree that is gone already is left alone', async () => {
  const gone: ProcessTree = {
    pid: 1,
    rootExited: () => {},
    survey: async () => false,
    pids: () => [],
    signal: () => {},
    killNow: () => {},
  };
  let ended = false;
  await endProcessTree({
    tree: gone,
    exited: Promise.resolve(),
    endInput: () => (ended = true),
    from: 'term',
    times: { stdinMs: 1000, termMs: 1000 },
  });
  expect(ended).toBe(false);
});

test('B3.6: a process that nothing can end does not keep us', async () => {
  const { run, steps } = scripted('never');
  const from = performance.now();
  await run('input');
  expect(performance.now() - from).toBeLessThan(4000);
  expect(steps).toEqual(['input', 'SIGTERM', 'SIGKILL']);
});
