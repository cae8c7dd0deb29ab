import { expect, test } from 'vitest';
import { MetricRegistry, MOST_SERIES } from './metric-registry.js';
import { toPrometheusText } from './prometheus-text.js';

test('B7.7: what comes after the bound of series is counted together, and nothing is lost', () => {
  const registry = new MetricRegistry(0);
  const counter = registry.counter('c', 'h', ['a', 'b']);
  for (let index = 0; index < 10_000; index++) counter.add([`name${index}`, 'x']);
  counter.add(['name0', 'x']);
  const [metric] = registry.read();
  expect(metric?.series).toHaveLength(MOST_SERIES + 1);
  const values = metric?.series.map(({ value }) => value as number) ?? [];
  expect(values.reduce((sum, value) => sum + value, 0)).toBe(10_001);
  expect(metric?.series.at(-1)?.labels).toEqual(['other', 'other']);
  expect(metric?.series[0]?.value).toBe(2);
});

test('the text has cumulative buckets, units in names, and escaped labels', () => {
  const registry = new MetricRegistry(0);
  const times = registry.histogram({ name: 'a.time', help: 'Time.', unit: 's', labels: ['x.y'] }, [0.1, 1]);
  times.record(['one'], 0.1);
  times.record(['one'], 0.5);
  times.record(['one'], 7);
  registry.counter('b', 'B.', ['l']).add(['a"\\\nb'], 3);
  registry.observe('gauge', { name: 'g', help: 'G.', unit: 'By' }, () => [{ labels: [], value: 5 }]);
  expect(toPrometheusText(registry.read())).toBe(`# HELP a_time_seconds Time.
# TYPE a_time_seconds histogram
a_time_seconds_bucket{x_y="one",le="0.1"} 1
a_time_seconds_bucket{x_y="one",le="1"} 2
a_time_seconds_bucket{x_y="one",le="+Inf"} 3
a_time_seconds_sum{x_y="one"} 7.6
a_time_seconds_count{x_y="one"} 3
# HELP b_total B.
# TYPE b_total counter
b_total{l="a\\"\\\\\\nb"} 3
# HELP g_bytes G.
# TYPE g_bytes gauge
g_bytes 5
`);
});
