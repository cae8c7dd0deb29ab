import { describe, expect, test } from 'vitest';
import { isHubError, toAgentId } from '../kernel/index.js';
import { createRateLimits, type RateLimitSettings } from './rate-limits.js';

const [ALICE, BOB] = [toAgentId('alice'), toAgentId('bob')];
const NONE = { perSecond: 0, burst: 1 };

function setUp(settings: Partial<RateLimitSettings>) {
  let ms = 0;
  const limits = createRateLimits(
    { perAgent: NONE, perTool: NONE, ...settings },
    { now: () => ms, monotonic: () => ms },
  );
  const wait = (agent = ALICE, tool = 't'): number | undefined => {
    try {
      void limits.require(agent, tool);
      return undefined;
    } catch (error) {
      if (!isHubError(error, 'rate_limited')) throw error;
      return error.retryAfterMs;
    }
  };
  return { wait, pass: (more: number) => void (ms += more) };
}

describe('rate limits', () => {
  test('B1.14: a burst, then a steady rate, and the time to wait is right', () => {
    const { wait, pass } = setUp({ perAgent: { perSecond: 10, burst: 3 } });
    expect([wait(), wait(), wait(), wait()]).toEqual([undefined, undefined, undefined, 100]);
    pass(99);
    expect(wait()).toBe(1);
    pass(1);
    expect([wait(), wait()]).toEqual([undefined, 100]);
  });

  test('rest does not add up beyond the burst', () => {
    const { wait, pass } = setUp({ perAgent: { perSecond: 1, burst: 2 } });
    pass(3_600_000);
    expect([wait(), wait(), wait()]).toEqual([undefined, undefined, 1_000]);
  });

  test('refused calls cost nothing', () => {
    const { wait, pass } = setUp({ perAgent: { perSecond: 1, burst: 1 } });
    wait();
    for (let i = 0; i < 100; i++) wait();
    pass(1_000);
    expect(wait()).toBeUndefined();
  });

  test('one agent does not use up the calls of another', () => {
    const { wait } = setUp({ perAgent: { perSecond: 1, burst: 1 } });
    expect([wait(ALICE), wait(ALICE), wait(BOB)]).toEqual([undefined, 1_000, undefined]);
  });

  test('one tool does not use up the calls of another', () => {
    const { wait } = setUp({ perTool: { perSecond: 1, burst: 1 } });
    expect([wait(ALICE, 'a'), wait(ALICE, 'a'), wait(ALICE, 'b'), wait(BOB, 'a')]).toEqual([
      undefined,
      1_000,
      undefined,
      undefined,
    ]);
  });

  test('a call that the tool refuses does not count for the agent', () => {
    const { wait } = setUp({ perAgent: { perSecond: 1, burst: 2 }, perTool: { perSecond: 1, burst: 1 } });
    expect([wait(ALICE, 'a'), wait(ALICE, 'a'), wait(ALICE, 'b')]).toEqual([undefined, 1_000, undefined]);
  });

  test('zero means no limit', () => {
    const { wait } = setUp({});
    for (let i = 0; i < 1_000; i++) expect(wait()).toBeUndefined();
  });

  test('a clock that stands still or goes back gives nothing away', () => {
    const { wait, pass } = setUp({ perAgent: { perSecond: 1, burst: 1 } });
    wait();
    pass(-5_000);
    expect(wait()).toBeGreaterThanOrEqual(1_000);
  });
});
