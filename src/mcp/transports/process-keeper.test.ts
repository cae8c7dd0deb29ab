import { EventEmitter } from 'node:events';

import { expect, test, vi } from 'vitest';

import { ProcessKeeper } from './process-keeper.js';
import type { ProcessEntry } from './process-table.js';
import type { ProcessTree } from './process-tree.js';

const ENTRIES: readonly ProcessEntry[] = [];

function fakeTree(pid: number) {
  return {
    pid,
    rootExited: vi.fn<ProcessTree['rootExited']>(),
    survey: vi.fn<ProcessTree['survey']>(async () => true),
    pids: () => [pid],
    signal: vi.fn<ProcessTree['signal']>(),
    killNow: vi.fn<ProcessTree['killNow']>(),
  };
}

function openKeeper() {
  const source = new EventEmitter();
  const readSync = vi.fn<() => readonly ProcessEntry[]>(() => ENTRIES);
  const keeper = new ProcessKeeper(source, { read: async () => ENTRIES, readSync });
  return { source, readSync, keeper };
}

test('at exit every tree is killed, with one look at the process table', () => {
  const { source, readSync, keeper } = openKeeper();
  const trees = [fakeTree(1), fakeTree(2), fakeTree(3)];
  for (const tree of trees) keeper.track(tree);
  keeper.release(trees[1]!);
  expect(source.listenerCount('exit')).toBe(1);
  source.emit('exit');
  expect(trees.map((tree) => tree.killNow.mock.calls.length)).toEqual([1, 0, 1]);
  expect(readSync).toHaveBeenCalledTimes(1);
});

test('without trees there is neither listener nor work', () => {
  const { source, readSync, keeper } = openKeeper();
  const tree = fakeTree(1);
  keeper.release(tree);
  keeper.track(tree);
  keeper.release(tree);
  keeper.release(tree);
  expect(source.listenerCount('exit')).toBe(0);
  keeper.killNow();
  expect(readSync).not.toHaveBeenCalled();
});

test('trees are looked at from time to time', () => {
  vi.useFakeTimers();
  try {
    const { keeper } = openKeeper();
    const tree = fakeTree(1);
    keeper.track(tree);
    vi.advanceTimersByTime(60_000);
    expect(tree.survey).toHaveBeenCalledTimes(2);
    keeper.release(tree);
    vi.advanceTimersByTime(60_000);
    expect(tree.survey).toHaveBeenCalledTimes(2);
  } finally {
    vi.useRealTimers();
  }
});
