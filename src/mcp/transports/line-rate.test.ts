import { expect, test } from 'vitest';

import { LineRate } from './line-rate.js';

test('so many a second, the rest is counted once', () => {
  let now = 0;
  const rate = new LineRate(2, () => now);
  const takes = () => [rate.take(), rate.take(), rate.take(), rate.take()];
  expect(takes()).toEqual([true, true, false, false]);
  expect([rate.takeDropped(), rate.takeDropped()]).toEqual([2, 0]);
  now = 999;
  expect(rate.take()).toBe(false);
  now = 1000;
  expect(takes()).toEqual([true, true, false, false]);
  expect(rate.takeDropped()).toBe(3);
});
