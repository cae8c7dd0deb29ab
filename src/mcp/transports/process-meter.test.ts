import { expect, test } from 'vitest';
import { findExcess, parseUsage, type ProcessLimits } from './process-meter.js';

const NONE: ProcessLimits = { memoryBytes: 0, cpuSeconds: 0, processes: 0 };
const two = [
  { memoryBytes: 60, cpuSeconds: 1 },
  { memoryBytes: 40, cpuSeconds: 1.5 },
];

test.each<readonly [Partial<ProcessLimits>, string | undefined]>([
  [{}, undefined],
  [{ memoryBytes: 100 }, undefined],
  [{ memoryBytes: 99 }, 'more memory than 99 bytes'],
  [{ cpuSeconds: 2.5 }, undefined],
  [{ cpuSeconds: 2 }, 'more than 2 s of processor time'],
  [{ processes: 2 }, undefined],
  [{ processes: 1 }, 'more processes than 1'],
])('P-11: of all processes together, %j: %s', (limits, expected) => {
  expect(findExcess(two, { ...NONE, ...limits })).toBe(expected);
});

test('what `/proc` tells is read, whatever the program is called', () => {
  const stat = '7 (a ) b) S 1 7 7 0 -1 4194560 900 0 0 0 150 50 7 3 20 0 11 0 1234 9999 50';
  expect(parseUsage('Name:\ta\nVmRSS:\t    2048 kB\nThreads:\t1\n', stat)).toEqual({
    memoryBytes: 2_097_152,
    cpuSeconds: 2.1,
  });
  // Threads of the kernel have no memory of their own.
  expect(parseUsage('Name:\ta\n', stat).memoryBytes).toBe(0);
});
