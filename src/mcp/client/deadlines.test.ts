import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/client/manual-clock.js';
import { Deadlines } from './deadlines.js';

function setUp() {
  const clock = new ManualClock();
  const waits = new Set<{ readonly deadline: number }>();
  let expired = 0;
  const deadlines = new Deadlines(clock, waits, (wait) => {
    waits.delete(wait);
    expired++;
  });
  return {
    clock,
    waits,
    deadlines,
    expired: () => expired,
    watch(ms: number) {
      const wait = { deadline: clock.now() + ms };
      waits.add(wait);
      deadlines.watch(wait, clock.now());
      return wait;
    },
  };
}

describe('F37: a process that stood still', () => {
  test('reads what came meanwhile before it gives up', async () => {
    const { clock, watch, waits, expired } = setUp();
    const answered = watch(100);
    watch(120);
    clock.standStill(5_000);
    await clock.advance(0);
    expect(expired()).toBe(0);
    waits.delete(answered);
    await clock.advance(1_000);
    expect(expired()).toBe(1);
  });

  test('gives up in time otherwise', async () => {
    const { clock, watch, expired } = setUp();
    watch(100);
    clock.standStill(120);
    await clock.advance(0);
    expect(expired()).toBe(1);
  });

  test('looks no second time after it was stopped', async () => {
    const { clock, watch, deadlines, expired } = setUp();
    watch(100);
    clock.standStill(5_000);
    await clock.advance(0);
    deadlines.stop();
    await clock.advance(10_000);
    expect([expired(), clock.waiting]).toEqual([0, 0]);
  });
});
