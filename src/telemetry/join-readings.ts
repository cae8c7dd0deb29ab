import type { MetricReading, Series } from './metric-registry.js';

/** What one of several processes on one port has counted. */
export interface WorkerReadings {
  readonly worker: string;
  readonly metrics: readonly MetricReading[];
}

const LABEL = 'worker';

/** As one reading, in which each series says whose it is: sums, and what must not be summed, are for whoever reads it. */
export function joinReadings(all: readonly WorkerReadings[]): readonly MetricReading[] {
  const joined = new Map<string, { readonly metric: MetricReading; readonly series: Series[] }>();
  for (const { worker, metrics } of all) {
    for (const metric of metrics) {
      const known = joined.get(metric.name) ?? { metric, series: [] };
      joined.set(metric.name, known);
      for (const { labels, value } of metric.series)
        known.series.push({ labels: [...labels, worker], value });
    }
  }
  return [...joined.values()].map(({ metric, series }) => ({
    ...metric,
    labels: [...(metric.labels ?? []), LABEL],
    series,
  }));
}
