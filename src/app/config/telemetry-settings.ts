import type { TelemetryInput } from '../../contract/index.js';
import { HubError, Secret } from '../../kernel/index.js';
import type { OtlpSettings } from '../../telemetry/index.js';
import type { ConfigSource } from './config.js';
import { readOtelEnvironment, type OtelEnvironment } from './otel-environment.js';

export interface TelemetrySettings {
  /** Who may read `/metrics`. */
  readonly metrics: 'admin' | 'open' | 'off';
  /** Undefined where no collector is named. */
  readonly otlp: OtlpSettings | undefined;
}

const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;
const HEADER_VALUE = /^[\x20-\x7e]{1,8192}$/;

/** Notes in `sources` where each value comes from. */
export function pickTelemetry(
  { metrics, serviceName, otlp = {} }: TelemetryInput,
  environment: Readonly<Record<string, string | undefined>>,
  sources: Record<string, ConfigSource>,
): TelemetrySettings {
  const told = readOtelEnvironment(environment);
  const pick = <Value>(
    name: string,
    outside: Value | undefined,
    file: Value | undefined,
    fallback: Value,
  ) => {
    sources[`telemetry.${name}`] =
      outside !== undefined ? 'environment' : file !== undefined ? 'file' : 'default';
    return outside ?? file ?? fallback;
  };
  const { sampler } = told;
  const readers = pick('metrics', undefined, metrics, 'admin');
  const endpoint = pick<string | undefined>('otlp.endpoint', told.endpoint, otlp.endpoint, undefined);
  const wanted = {
    traces: pick('otlp.traces', told.traces, otlp.traces, true),
    metrics: pick('otlp.metrics', told.metrics, otlp.metrics, true),
  };
  const settings = {
    ...addressesOf(endpoint, told, wanted),
    headers: Object.fromEntries(
      Object.entries(pick('otlp.headers', undefined, otlp.headers, {})).map(toHeader),
    ),
    sampleRatio: pick('otlp.sampleRatio', sampler?.sampleRatio, otlp.sampleRatio, 1),
    followsParent: sampler?.followsParent ?? true,
    intervalMs: pick('otlp.intervalMs', told.intervalMs, otlp.intervalMs, 60_000),
    serviceName: pick('serviceName', told.serviceName, serviceName, 'crosspoint'),
    resource: told.resource,
  };
  const isOff = told.isDisabled || (settings.tracesUrl === undefined && settings.metricsUrl === undefined);
  return { metrics: readers, otlp: isOff ? undefined : settings };
}

/** An address of one signal is used as it is; what belongs behind the common one is added to it. */
function addressesOf(
  endpoint: string | undefined,
  { tracesEndpoint, metricsEndpoint }: OtelEnvironment,
  wanted: { readonly traces: boolean; readonly metrics: boolean },
): Pick<OtlpSettings, 'tracesUrl' | 'metricsUrl'> {
  const base = endpoint === undefined ? undefined : requireEndpoint('telemetry.otlp.endpoint', endpoint);
  const address = (signal: 'traces' | 'metrics', own: string | undefined): string | undefined => {
    if (!wanted[signal]) return undefined;
    if (own !== undefined) return requireEndpoint(`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`, own);
    return base === undefined ? undefined : `${base.replace(/\/+$/, '')}/v1/${signal}`;
  };
  return { tracesUrl: address('traces', tracesEndpoint), metricsUrl: address('metrics', metricsEndpoint) };
}

function requireEndpoint(name: string, endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw invalid(name, 'must begin with https:// or http://');
  if (url.username !== '' || url.password !== '')
    throw invalid(name, 'must not hold a password; use telemetry.otlp.headers');
  if (url.search !== '' || url.hash !== '') throw invalid(name, 'must end with its path');
  return url.href;
}

function toHeader([name, value]: [string, string]): [string, Secret] {
  if (!HEADER.test(name) || !HEADER_VALUE.test(value))
    throw invalid(
      'telemetry.otlp.headers',
      `${JSON.stringify(name.slice(0, 50))} is not a header that can be sent`,
    );
  return [name, new Secret(value)];
}

function invalid(name: string, message: string): HubError {
  return new HubError('config_invalid', `${name}: ${message}`);
}
