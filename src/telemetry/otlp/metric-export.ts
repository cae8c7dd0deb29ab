import type { Attributes, HrTime } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type * as Metrics from '@opentelemetry/sdk-metrics';
import type { MetricReading, MetricRegistry, Series } from '../metric-registry.js';
import { headerValues } from '../otlp-settings.js';
import type { Sending } from './sending.js';
import { watchSending } from './watch-sending.js';

type Sdk = typeof Metrics;

/** The same numbers that `/metrics` shows, sent every so often. */
export async function startMetricExport(
  url: string,
  { settings, resource, logger }: Sending,
  registry: MetricRegistry,
): Promise<{ close(): Promise<void> }> {
  const [sdk, { OTLPMetricExporter }] = await Promise.all([
    import('@opentelemetry/sdk-metrics'),
    import('@opentelemetry/exporter-metrics-otlp-http'),
  ]);
  const producer: Metrics.MetricProducer = {
    collect: () => Promise.resolve(collect(sdk, resource, registry)),
  };
  const reader = new sdk.PeriodicExportingMetricReader({
    exporter: watchSending(
      new OTLPMetricExporter({ url, headers: headerValues(settings) }),
      'metrics',
      logger,
    ),
    exportIntervalMillis: settings.intervalMs,
    exportTimeoutMillis: Math.min(settings.intervalMs, 10_000),
    metricProducers: [producer],
  });
  const provider = new sdk.MeterProvider({ resource, readers: [reader] });
  return { close: () => provider.shutdown() };
}

function collect(sdk: Sdk, resource: Resource, registry: MetricRegistry) {
  const from = toHrTime(registry.startedAt);
  const to = toHrTime(Date.now());
  const metrics = registry.read().map((metric) => toMetricData(sdk, metric, from, to));
  return {
    resourceMetrics: { resource, scopeMetrics: [{ scope: { name: 'crosspoint' }, metrics }] },
    errors: [],
  };
}

function toMetricData(
  { AggregationTemporality, DataPointType }: Sdk,
  metric: MetricReading,
  from: HrTime,
  to: HrTime,
): Metrics.MetricData {
  const { name, help, unit = '', kind } = metric;
  const base = {
    descriptor: { name, description: help, unit, valueType: 1 },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const point = <Value>(series: Series, value: Value): Metrics.DataPoint<Value> => ({
    startTime: from,
    endTime: to,
    attributes: attributesOf(metric, series),
    value,
  });
  if (kind === 'histogram') {
    const dataPoints = metric.series.map((series) => point(series, histogramOf(metric, series)));
    return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints = metric.series.map((series) => point(series, series.value as number));
  return kind === 'gauge'
    ? { ...base, dataPointType: DataPointType.GAUGE, dataPoints }
    : { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
}

function histogramOf({ bounds = [] }: MetricReading, { value }: Series): Metrics.Histogram {
  if (typeof value === 'number') throw new TypeError('a histogram has counts');
  const { counts, sum } = value;
  const count = counts.reduce((total, one) => total + one, 0);
  return { buckets: { boundaries: [...bounds], counts: [...counts] }, sum, count };
}

function attributesOf({ labels = [] }: MetricReading, { labels: values }: Series): Attributes {
  const pairs = labels.map((name, index) => [name, values[index] ?? ''] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== ''));
}

function toHrTime(ms: number): HrTime {
  return [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1e6)];
}
