import { describe, expect, test } from 'vitest';
import { StartLimit, type StartWish } from './start-limit.js';

function setUp() {
  let now = 0;
  const limit = new StartLimit('connector p', { now: () => now, monotonic: () => now });
  const refusal = (wish: StartWish): unknown => {
    try {
      limit.require(wish);
      return undefined;
    } catch (error) {
      return error;
    }
  };
  const fail = (times: number, everyMs = 10_000): void => {
    for (let n = 0; n < times; n++) {
      limit.ended('the process exited with code 1');
      now += everyMs;
    }
  };
  return { limit, refusal, fail, pass: (ms: number) => void (now += ms) };
}

describe('how often a process may be started', () => {
  test('at once after it ended, then after growing pauses', () => {
    const { limit, refusal, pass } = setUp();
    const pauses: number[] = [];
    for (let n = 0; n < 4; n++) {
      limit.ended('the process exited with code 1');
      let waited = 0;
      for (; refusal('caller') !== undefined; waited += 50) pass(50);
      pauses.push(waited);
    }
    expect(pauses).toEqual([0, 250, 500, 1_000]);
  });

  test.each([
    ['four ends within a minute', 4, 10_000, false],
    ['B3.7: five ends within a minute', 5, 10_000, true],
    ['five ends, more than a minute apart', 5, 15_100, false],
  ])('%s', (_what, times, everyMs, failed) => {
    const { limit, fail } = setUp();
    fail(times, everyMs);
    expect(limit.hasFailed).toBe(failed);
  });

  test('one that failed is not started for callers, ever', () => {
    const { refusal, fail, pass } = setUp();
    fail(5);
    pass(3_600_000);
    expect(refusal('caller')).toMatchObject({
      code: 'upstream_unavailable',
      details: { reason: 'process_failed' },
    });
  });

  test('the hub looks again after five minutes, once', () => {
    const { refusal, fail, pass } = setUp();
    fail(5, 0);
    expect(refusal('hub')).toMatchObject({ retryAfterMs: 300_000 });
    pass(300_000);
    expect(refusal('hub')).toBeUndefined();
    expect(refusal('hub')).toBeDefined();
  });

  test('an admin has it tried at once, and success forgives everything', () => {
    const { limit, refusal, fail } = setUp();
    fail(5, 0);
    expect(refusal('admin')).toBeUndefined();
    expect(limit.hasFailed).toBe(true);
    expect(limit.stands()).toBe(true);
    expect([limit.hasFailed, limit.isClear, refusal('caller')]).toEqual([false, true, undefined]);
  });

  test('success between ends does not hide that they come too often', () => {
    const { limit, fail } = setUp();
    for (let n = 0; n < 4; n++) {
      fail(1, 1_000);
      expect(limit.stands()).toBe(false);
    }
    expect(limit.ended('the process exited with code 1')).toBe(true);
  });
});
