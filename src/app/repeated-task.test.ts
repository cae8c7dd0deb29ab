import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLogger } from '../kernel/index.js';
import { RepeatedTask } from './repeated-task.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function start(work: (run: number) => Promise<void>) {
  let runs = 0;
  const task = new RepeatedTask(() => work(++runs), silentLogger, 'it could not be done');
  return { task, runs: () => runs };
}

test('asked for while it runs, it runs once more, and not at the same time', async () => {
  let inside = 0;
  const { task, runs } = start(async () => {
    expect(++inside).toBe(1);
    await Promise.resolve();
    inside--;
  });
  for (let count = 0; count < 5; count++) task.request();
  await vi.advanceTimersByTimeAsync(0);
  expect(runs()).toBe(2);
  task.request();
  await vi.advanceTimersByTimeAsync(0);
  expect(runs()).toBe(3);
});

test('failed, it is tried again, ever more rarely, until it succeeds', async () => {
  const { task, runs } = start(async (run) => {
    if (run < 3) throw new Error('not yet');
  });
  task.request();
  await vi.advanceTimersByTimeAsync(499);
  expect(runs()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(runs()).toBe(2);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(runs()).toBe(3);
  await vi.advanceTimersByTimeAsync(100_000);
  expect(runs()).toBe(3);
});

test('whoever waits until it is done waits for the run that succeeds, or for the end', async () => {
  const { task } = start(async (run) => {
    if (run < 2) throw new Error('not yet');
  });
  await task.done();
  task.request();
  let done = 0;
  void task.done().then(() => done++);
  await vi.advanceTimersByTimeAsync(499);
  void task.done().then(() => done++);
  await vi.advanceTimersByTimeAsync(0);
  expect(done).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(done).toBe(2);
  const never = start(() => new Promise(() => {})).task;
  never.request();
  const ended = never.done();
  never.stop();
  await Promise.all([ended, never.done()]);
});

test('stopped, it does nothing any more', async () => {
  const { task, runs } = start(async () => {
    throw new Error('never');
  });
  task.request();
  await vi.advanceTimersByTimeAsync(0);
  task.stop();
  task.request();
  await vi.advanceTimersByTimeAsync(100_000);
  expect(runs()).toBe(1);
});
