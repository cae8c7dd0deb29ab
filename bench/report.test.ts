import { expect, test } from 'vitest';
import { toMarkdown } from './report.js';

test('ratios compare with Crosspoint in the same era', () => {
  const text = toMarkdown({
    machine: 'a machine',
    rounds: 3,
    secondsPerRound: 2,
    decoding: [
      { events: '100 B', decoder: 'crosspoint', megabytesPerSecond: 500.4 },
      { events: '100 B', decoder: 'eventsource-parser', megabytesPerSecond: 250 },
    ],
    servers: [
      { name: 'Crosspoint', era: 'legacy', callsPerSecond: 1000, cpuMicrosPerCall: 50 },
      { name: 'other', era: 'legacy', callsPerSecond: 100, cpuMicrosPerCall: 400 },
    ],
    clients: [
      { name: 'Crosspoint', era: 'legacy', callsPerSecond: 1, cpuMicrosPerCall: 1 },
      { name: 'Crosspoint', era: 'modern', callsPerSecond: 900, cpuMicrosPerCall: 60 },
      { name: 'other', era: 'modern', callsPerSecond: 300, cpuMicrosPerCall: 90 },
    ],
  });
  expect(text.split('\n')[0]).toBe('a machine; medians of 3 interleaved rounds of 2 s');
  expect(text).toContain('| 100 B | 500 | 250 | 2.0x |');
  expect(text).toContain('| Crosspoint | legacy | 1000 |  | 50.0 |  |');
  expect(text).toContain('| other | legacy | 100 | 10.0x | 400.0 | 8.0x |');
  expect(text).toContain('| other | modern | 300 | 3.0x | 90.0 | 1.5x |');
});
