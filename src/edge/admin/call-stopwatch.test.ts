import { expect, test } from 'vitest';
import { CallStopwatch, type FinishedStage } from './call-stopwatch.js';

test('each stage lasts until the next, and the time of people is told apart', () => {
  let now = 0;
  const told: FinishedStage[] = [];
  const watch = new CallStopwatch({ monotonic: () => now }, (finished) => told.push(finished));
  now = 2;
  watch.begins('policy');
  now = 5;
  watch.begins('upstream');
  expect(watch.stage).toBe('upstream');
  now = 10;
  const first = watch.waits();
  now = 12;
  const second = watch.waits();
  now = 30;
  first();
  now = 40;
  second();
  now = 47;
  const third = watch.waits();
  now = 50;
  // Ends while somebody is still being asked.
  watch.begins('outcome');
  now = 52;
  third();
  now = 53;
  watch.begins(undefined);
  watch.begins(undefined);
  expect(told).toEqual([
    { stage: 'lookup', ms: 2 },
    { stage: 'policy', ms: 3 },
    { stage: 'upstream', ms: 12, waitedMs: 33 },
    { stage: 'outcome', ms: 1, waitedMs: 2 },
  ]);
});
