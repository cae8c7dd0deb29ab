import { describe, expect, test } from 'vitest';
import { Breaker } from './breaker.js';

function setUp(failures = 3) {
  let now = 0;
  const told: string[] = [];
  const breaker = new Breaker({
    clock: { now: () => now, monotonic: () => now },
    failures,
    onOpen: (count) => told.push(`open after ${count}`),
    onClose: (openMs) => told.push(`closed after ${openMs}`),
  });
  const fail = (times: number): void => {
    for (let n = 0; n < times; n++) breaker.failed();
  };
  return { breaker, told, fail, pass: (ms: number) => void (now += ms) };
}

describe('breaker', () => {
  test.each([
    ['one less than allowed', 2, false],
    ['as many as allowed', 3, true],
  ])('%s', (_what, failures, open) => {
    const { breaker, fail } = setUp();
    fail(failures);
    expect(breaker.isOpen).toBe(open);
    expect(breaker.admit(false)).toBe(open ? 5_000 : 'pass');
  });

  test('an answer in between begins the count anew', () => {
    const { breaker, fail, told } = setUp();
    fail(2);
    breaker.alive();
    fail(2);
    expect(breaker.isOpen).toBe(false);
    expect(told).toEqual([]);
  });

  test('without a number of failures it never opens', () => {
    const { breaker, fail } = setUp(0);
    fail(1_000);
    expect(breaker.admit(false)).toBe('pass');
  });

  test('U-28: lets one through in five seconds, whatever becomes of it', () => {
    const { breaker, fail, pass } = setUp();
    fail(3);
    const admitted: number[] = [];
    for (let ms = 0; ms < 60_000; ms += 100, pass(100)) {
      if (breaker.admit(false) !== 'trial') continue;
      admitted.push(ms);
      if (admitted.length % 2 === 0) breaker.failed();
    }
    expect(admitted).toHaveLength(11);
    expect(admitted.slice(1).every((ms, index) => ms - (admitted[index] ?? 0) >= 5_000)).toBe(true);
  });

  test('says how long to wait', () => {
    const { breaker, fail, pass } = setUp();
    fail(3);
    pass(1_500);
    expect(breaker.admit(false)).toBe(3_500);
    expect(breaker.waitMs).toBe(3_500);
  });

  test('whoever insists is let through, and counts as the one that finds out', () => {
    const { breaker, fail, pass } = setUp();
    fail(3);
    pass(4_000);
    expect(breaker.admit(true)).toBe('trial');
    pass(2_000);
    expect(breaker.admit(false)).toBe(3_000);
  });

  test('any sign of life closes it, and both changes are told once', () => {
    const { breaker, fail, pass, told } = setUp();
    fail(7);
    pass(250);
    breaker.alive();
    breaker.alive();
    expect(breaker.admit(false)).toBe('pass');
    expect(told).toEqual(['open after 3', 'closed after 250']);
  });
});
