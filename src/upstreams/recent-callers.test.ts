import { expect, test } from 'vitest';
import { RecentCallers } from './recent-callers.js';

test('somebody else is there until a question about its call can be late no more', () => {
  let now = 0;
  const recent = new RecentCallers({ now: () => now, monotonic: () => now });
  expect(recent.hasOther('ada\n1')).toBe(false);
  recent.note('ada');
  expect([recent.hasOther('ada\n2'), recent.hasOther('bob\n1')]).toEqual([false, true]);
  now = 900;
  recent.note('bob');
  expect([recent.hasOther('ada\n1'), recent.hasOther('bob\n1')]).toEqual([true, true]);
  now = 1_100;
  expect([recent.hasOther('ada\n1'), recent.hasOther('bob\n1')]).toEqual([true, false]);
  now = 2_000;
  expect([recent.hasOther('ada\n1'), recent.hasOther(undefined)]).toEqual([false, false]);
});
