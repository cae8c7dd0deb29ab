import { describe, expect, test } from 'vitest';
import type { TelemetryInput } from '../../contract/index.js';
import type { ConfigSource } from './config.js';
import { pickTelemetry } from './telemetry-settings.js';

const HERE = 'http://collector:4318';
const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: HERE };
const FILE = { otlp: { endpoint: 'https://file.example', sampleRatio: 0.5, intervalMs: 5_000 } };

function pick(environment: Record<string, string>, file: TelemetryInput = {}) {
  const sources: Record<string, ConfigSource> = {};
  return { ...pickTelemetry(file, environment, sources), sources };
}

describe('what OpenTelemetry says in the environment counts', () => {
  test.each<readonly [string, Record<string, string>, object]>([
    ['the collector', {}, { tracesUrl: `${HERE}/v1/traces`, metricsUrl: `${HERE}/v1/metrics` }],
    [
      'an address of one signal, as it is',
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces:1/mine' },
      { tracesUrl: 'http://traces:1/mine', metricsUrl: `${HERE}/v1/metrics` },
    ],
    ['no traces', { OTEL_TRACES_EXPORTER: 'none' }, { tracesUrl: undefined }],
    ['no metrics', { OTEL_METRICS_EXPORTER: 'prometheus' }, { metricsUrl: undefined }],
    [
      'one exporter of several',
      { OTEL_TRACES_EXPORTER: 'console, otlp' },
      { tracesUrl: `${HERE}/v1/traces` },
    ],
    ['the interval', { OTEL_METRIC_EXPORT_INTERVAL: '1500' }, { intervalMs: 1_500 }],
    ['the name', { OTEL_SERVICE_NAME: 'hub' }, { serviceName: 'hub', resource: {} }],
    [
      'more about the hub',
      { OTEL_RESOURCE_ATTRIBUTES: 'service.name=hub, team=a%2Cb ,deployment.environment.name=prod,' },
      { serviceName: 'hub', resource: { team: 'a,b', 'deployment.environment.name': 'prod' } },
    ],
    ...(
      [
        ['always_on', 1, false],
        ['always_off', 0, false],
        ['traceidratio', 0.25, false],
        ['parentbased_always_on', 1, true],
        ['parentbased_always_off', 0, true],
        ['parentbased_traceidratio', 0.25, true],
      ] as const
    ).map(
      ([sampler, sampleRatio, followsParent]) =>
        [
          sampler,
          { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: '0.25' },
          { sampleRatio, followsParent },
        ] as const,
    ),
    ['an argument of no sampler is none', { OTEL_TRACES_SAMPLER_ARG: '0.25' }, { sampleRatio: 1 }],
    ['what is empty is not set', { OTEL_TRACES_SAMPLER: '', OTEL_SERVICE_NAME: ' ' }, { sampleRatio: 1 }],
  ])('%s', (_what, environment, expected) => {
    expect(pick({ ...ENDPOINT, ...environment }).otlp).toMatchObject(expected);
  });

  test('one signal alone can be sent', () => {
    const { otlp } = pick({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://metrics:1/v1/metrics' });
    expect(otlp).toMatchObject({ tracesUrl: undefined, metricsUrl: 'http://metrics:1/v1/metrics' });
  });

  test.each<readonly [string, Record<string, string>]>([
    ['a switch for everything', { OTEL_SDK_DISABLED: 'TRUE' }],
    ['both signals off', { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' }],
  ])('nothing is sent: %s', (_what, environment) => {
    expect(pick(environment, FILE).otlp).toBe(undefined);
  });

  test('more than the file, and each value says where it is from', () => {
    const environment = { OTEL_METRIC_EXPORT_INTERVAL: '7000', OTEL_SERVICE_NAME: 'hub' };
    const { otlp, sources } = pick(environment, { metrics: 'open', ...FILE });
    expect(otlp).toMatchObject({ sampleRatio: 0.5, intervalMs: 7_000, serviceName: 'hub' });
    expect(sources).toEqual({
      'telemetry.metrics': 'file',
      'telemetry.serviceName': 'environment',
      'telemetry.otlp.endpoint': 'file',
      'telemetry.otlp.headers': 'default',
      'telemetry.otlp.traces': 'default',
      'telemetry.otlp.metrics': 'default',
      'telemetry.otlp.sampleRatio': 'file',
      'telemetry.otlp.intervalMs': 'environment',
    });
  });
});

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318', /^telemetry\.otlp\.endpoint: must begin with https/],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'nowhere', /^OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: must begin/],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote', /^OTEL_TRACES_SAMPLER: must be always_on, /],
  ['OTEL_TRACES_SAMPLER_ARG', 'half', /^OTEL_TRACES_SAMPLER_ARG: must be a number/],
  ['OTEL_METRIC_EXPORT_INTERVAL', '10', /^OTEL_METRIC_EXPORT_INTERVAL: must be a number/],
  ['OTEL_RESOURCE_ATTRIBUTES', 'team', /^OTEL_RESOURCE_ATTRIBUTES: must be NAME=VALUE/],
  ['OTEL_RESOURCE_ATTRIBUTES', 'team=100%', /^OTEL_RESOURCE_ATTRIBUTES: has a %/],
])('%s cannot be %s', (variable, value, message) => {
  const environment = { OTEL_TRACES_SAMPLER: 'traceidratio', ...ENDPOINT, [variable]: value };
  expect(() => pick(environment)).toThrow(message);
});
