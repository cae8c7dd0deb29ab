import { expect, test } from 'vitest';
import { ChangePace } from './change-pace.js';

function setUp() {
  let now = 0;
  const pace = new ChangePace({ now: () => now, monotonic: () => now });
  /** As many looks as fit into this time, with a notice after each. */
  const looksWithin = (ms: number): number => {
    let looks = 0;
    for (const end = now + ms; now < end; looks++) {
      now += pace.pauseMs;
      pace.looked();
    }
    return looks;
  };
  return { pace, looksWithin, pass: (ms: number) => void (now += ms) };
}

test('a change is looked at soon, and so are some more', () => {
  const { pace } = setUp();
  for (let n = 0; n < 10; n++) {
    expect(pace.pauseMs).toBe(250);
    pace.looked();
  }
  pace.looked();
  expect(pace.pauseMs).toBe(500);
});

test('changes without end are looked at some times a minute, and after a calm minute soon again', () => {
  const { pace, looksWithin, pass } = setUp();
  expect(looksWithin(3_600_000)).toBeLessThan(20 * 60);
  pass(60_000);
  expect(pace.pauseMs).toBe(250);
});
