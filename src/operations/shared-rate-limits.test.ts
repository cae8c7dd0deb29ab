import { expect, test } from 'vitest';
import { HubError, isHubError, toAgentId, type TokenWish } from '../kernel/index.js';
import { createSharedRateLimits } from './shared-rate-limits.js';

const ALICE = toAgentId('alice');
const NONE = { perSecond: 0, burst: 1 };

/** A bucket that several replicas share, and a clock that stands still. */
function setUp(replicas: number, perAgent: { perSecond: number; burst: number }) {
  let ms = 0;
  let left = perAgent.burst;
  let asked = 0;
  let isAway = false;
  const store = {
    async takeTokens(_: string, { atMost }: TokenWish) {
      asked++;
      if (isAway) throw new HubError('storage_unavailable', 'away');
      const granted = Math.min(left, atMost);
      left -= granted;
      return { granted, waitMs: granted === 0 ? 500 : 0 };
    },
  };
  const clock = { now: () => ms, monotonic: () => ms };
  const limits = Array.from({ length: replicas }, () =>
    createSharedRateLimits({ perAgent, perTool: NONE }, store, clock),
  );
  const attempt = async (at: number): Promise<'ok' | number | undefined> => {
    try {
      await limits[at]!.require(ALICE, 't');
      return 'ok';
    } catch (error) {
      if (!isHubError(error, 'rate_limited')) throw error;
      return error.retryAfterMs;
    }
  };
  return {
    attempt,
    limits,
    asked: () => asked,
    away: (value: boolean) => (isAway = value),
    pass: (more: number) => (ms += more),
    fill: (more: number) => (left += more),
  };
}

test('all replicas together make as many calls as one may, and few of them ask', async () => {
  const { attempt, asked } = setUp(3, { perSecond: 400, burst: 300 });
  const outcomes: unknown[] = [];
  for (let index = 0; index < 400; index++) outcomes.push(await attempt(index % 3));
  // What two of them leased last may be unused.
  const made = outcomes.filter((outcome) => outcome === 'ok').length;
  expect(made).toBeLessThanOrEqual(300);
  expect(made).toBeGreaterThanOrEqual(300 - 2 * 30);
  expect(asked()).toBeLessThan(30);
});

test('who is refused is told how long to wait, and the bucket is left alone until then', async () => {
  const { attempt, asked, pass, fill } = setUp(1, { perSecond: 1, burst: 1 });
  expect(await attempt(0)).toBe('ok');
  expect(await attempt(0)).toBe(500);
  const before = asked();
  pass(200);
  expect(await attempt(0)).toBe(300);
  expect(asked()).toBe(before);
  pass(300);
  fill(1);
  expect(await attempt(0)).toBe('ok');
});

test('a lease that was not used in time is not used later', async () => {
  const { attempt, pass } = setUp(1, { perSecond: 100, burst: 20 });
  expect(await attempt(0)).toBe('ok');
  pass(1_000);
  // Two were leased, and two more before the second was spent.
  for (let index = 0; index < 16; index++) expect(await attempt(0)).toBe('ok');
  expect(await attempt(0)).toBe(500);
});

test('while the bucket cannot be reached a replica keeps to the limit by itself', async () => {
  const { attempt, away } = setUp(1, { perSecond: 1, burst: 2 });
  away(true);
  expect([await attempt(0), await attempt(0)]).toEqual(['ok', 'ok']);
  expect(await attempt(0)).toBe(1_000);
});

test('without a limit nobody is asked', () => {
  const { limits, asked } = setUp(1, NONE);
  expect(limits[0]!.require(ALICE, 't')).toBeUndefined();
  expect(asked()).toBe(0);
});
