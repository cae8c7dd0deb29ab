import { expect, test } from 'vitest';
import { sleep, systemClock } from './clock.js';

/** Timers that keep this process alive. */
function timers(): number {
  return process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
}

test('a timer keeps the process alive only where somebody waits for what it runs', () => {
  const before = timers();
  const cancelWatch = systemClock.after(60_000, () => {});
  expect(timers()).toBe(before);
  const cancelWait = systemClock.after(60_000, () => {}, true);
  expect(timers()).toBe(before + 1);
  cancelWatch();
  cancelWait();
  expect(timers()).toBe(before);
});

test('so does a pause, until nobody waits any more', async () => {
  const before = timers();
  const abort = new AbortController();
  const pause = sleep(systemClock, 60_000, abort.signal);
  expect(timers()).toBe(before + 1);
  abort.abort();
  await pause;
  expect(timers()).toBe(before);
});
