import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { MetricRegistry } from './metric-registry.js';

const NANOSECONDS = 1e9;
const QUANTILES = [0.5, 0.99] as const;

/** How the process is. Answers how to stop measuring. */
export function observeProcess(registry: MetricRegistry, version: string): () => void {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const gauge = (name: string, help: string, read: () => number, unit?: 's' | 'By'): void =>
    registry.observe('gauge', { name, help, ...(unit && { unit }) }, () => [{ labels: [], value: read() }]);
  registry.observe(
    'gauge',
    { name: 'crosspoint.build.info', help: 'Which version runs.', labels: ['version', 'node'] },
    () => [{ labels: [version, process.version], value: 1 }],
  );
  registry.observe(
    'counter',
    { name: 'process.cpu', help: 'Processor time of the process.', unit: 's' },
    () => {
      const { user, system } = process.cpuUsage();
      return [{ labels: [], value: (user + system) / 1e6 }];
    },
  );
  gauge('process.resident_memory', 'Memory of the process.', () => process.memoryUsage.rss(), 'By');
  gauge('nodejs.heap.used', 'Used heap of JavaScript.', () => process.memoryUsage().heapUsed, 'By');
  gauge('process.open_fds', 'Open descriptors; 0 where it cannot be told.', openDescriptors);
  gauge('process.start_time', 'When the process started, since 1970.', () => registry.startedAt / 1_000, 's');
  registry.observe(
    'gauge',
    {
      name: 'nodejs.eventloop.delay',
      help: 'How late the event loop was since it was last asked.',
      unit: 's',
      labels: ['quantile'],
    },
    () => {
      const read = QUANTILES.map((quantile) => ({
        labels: [String(quantile)],
        value: delay.percentile(quantile * 100) / NANOSECONDS,
      }));
      delay.reset();
      return read;
    },
  );
  return () => delay.disable();
}

function openDescriptors(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}
