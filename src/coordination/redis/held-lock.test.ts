import { expect, test } from 'vitest';
import { HeldLock } from './held-lock.js';

test('whoever stood still for longer than the lease has lost it, before any timer says so', () => {
  let at = 0;
  const clock = { now: () => at, monotonic: () => at };
  const asked = { renew: async () => true, release: async () => {} };
  const lock = new HeldLock({ clock, leaseMs: 10_000, askedAt: 0, ...asked });
  at = 9_999;
  expect(lock.lost.aborted).toBe(false);
  at = 10_000;
  expect(lock.lost.aborted).toBe(true);
});
