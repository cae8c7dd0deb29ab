import type { HistogramValue, LabelValues, MetricReading } from './metric-registry.js';

export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The text format of Prometheus. Names and labels follow OpenTelemetry's rules for it. */
export function toPrometheusText(metrics: readonly MetricReading[]): string {
  return metrics.map(textOf).join('');
}

const UNITS = { s: '_seconds', By: '_bytes' };

function prometheusName({ name, unit, kind }: Pick<MetricReading, 'name' | 'unit' | 'kind'>): string {
  return `${flat(name)}${unit === undefined ? '' : UNITS[unit]}${kind === 'counter' ? '_total' : ''}`;
}

function textOf(metric: MetricReading): string {
  const name = prometheusName(metric);
  const labels = (metric.labels ?? []).map(flat);
  const lines = metric.series.flatMap((series) =>
    typeof series.value === 'number'
      ? [`${name}${labelText(labels, series.labels)} ${series.value}`]
      : histogramLines(name, labels, series.labels, metric.bounds ?? [], series.value),
  );
  return [`# HELP ${name} ${metric.help}`, `# TYPE ${name} ${metric.kind}`, ...lines, ''].join('\n');
}

function histogramLines(
  name: string,
  labels: readonly string[],
  values: LabelValues,
  bounds: readonly number[],
  { counts, sum }: HistogramValue,
): readonly string[] {
  let below = 0;
  const buckets = counts.map((count, index) => {
    below += count;
    const bound = bounds[index];
    const text = labelText([...labels, 'le'], [...values, bound === undefined ? '+Inf' : String(bound)]);
    return `${name}_bucket${text} ${below}`;
  });
  const own = labelText(labels, values);
  return [...buckets, `${name}_sum${own} ${sum}`, `${name}_count${own} ${below}`];
}

function labelText(names: readonly string[], values: LabelValues): string {
  if (names.length === 0) return '';
  return `{${names.map((name, index) => `${name}="${escaped(values[index] ?? '')}"`).join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function flat(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_]/g, '_');
}
