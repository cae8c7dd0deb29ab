import type { TelemetryInput } from '../../contract/index.js';
import { HubError, Secret } from '../../kernel/index.js';
import type { OtlpSettings } from '../../telemetry/index.js';

export interface TelemetrySettings {
  /** Who may read `/metrics`. */
  readonly metrics: 'admin' | 'open' | 'off';
  /** Undefined where no collector is named. */
  readonly otlp: OtlpSettings | undefined;
}

const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;
const HEADER_VALUE = /^[\x20-\x7e]{1,8192}$/;

export function toTelemetrySettings(
  { metrics = 'admin', serviceName = 'crosspoint', otlp = {} }: TelemetryInput,
  endpoint: string | undefined,
): TelemetrySettings {
  if (endpoint === undefined) return { metrics, otlp: undefined };
  const { headers = {}, traces = true, metrics: sent = true, sampleRatio = 1, intervalMs = 60_000 } = otlp;
  return {
    metrics,
    otlp: {
      endpoint: requireEndpoint(endpoint),
      headers: Object.fromEntries(Object.entries(headers).map(toHeader)),
      traces,
      metrics: sent,
      sampleRatio,
      intervalMs,
      serviceName,
    },
  };
}

function requireEndpoint(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw invalid('endpoint', 'must begin with https:// or http://');
  if (url.username !== '' || url.password !== '')
    throw invalid('endpoint', 'must not hold a password; use telemetry.otlp.headers');
  if (url.search !== '' || url.hash !== '') throw invalid('endpoint', 'must end with its path');
  return url.href;
}

function toHeader([name, value]: [string, string]): [string, Secret] {
  if (!HEADER.test(name) || !HEADER_VALUE.test(value))
    throw invalid('headers', `${JSON.stringify(name.slice(0, 50))} is not a header that can be sent`);
  return [name, new Secret(value)];
}

function invalid(key: string, message: string): HubError {
  return new HubError('config_invalid', `telemetry.otlp.${key}: ${message}`);
}
