import { HubError } from '../../kernel/index.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** What the `OTEL_…` variables say, in our own terms. What only exporters need they read themselves. */
export interface OtelEnvironment {
  readonly isDisabled: boolean;
  readonly endpoint: string | undefined;
  /** Whole addresses, for collectors that take the two at different places. */
  readonly tracesEndpoint: string | undefined;
  readonly metricsEndpoint: string | undefined;
  readonly traces: boolean | undefined;
  readonly metrics: boolean | undefined;
  readonly serviceName: string | undefined;
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: Sampler | undefined;
  readonly intervalMs: number | undefined;
}

export interface Sampler {
  readonly sampleRatio: number;
  /** Whether a trace that somebody else began is kept if they keep it, whatever the ratio. */
  readonly followsParent: boolean;
}

const SAMPLERS = ['always_on', 'always_off', 'traceidratio'];
const SAMPLER = new RegExp(`^(parentbased_)?(${SAMPLERS.join('|')})$`);
const SERVICE_NAME = 'service.name';

export function readOtelEnvironment(environment: Environment): OtelEnvironment {
  const read = (name: string): string | undefined => environment[name]?.trim() || undefined;
  const exports = (name: string): boolean | undefined =>
    read(name)
      ?.split(',')
      .some((exporter) => exporter.trim() === 'otlp');
  const { [SERVICE_NAME]: named, ...resource } = toAttributes(read('OTEL_RESOURCE_ATTRIBUTES') ?? '');
  return {
    isDisabled: read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true',
    endpoint: read('OTEL_EXPORTER_OTLP_ENDPOINT'),
    tracesEndpoint: read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'),
    metricsEndpoint: read('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'),
    traces: exports('OTEL_TRACES_EXPORTER'),
    metrics: exports('OTEL_METRICS_EXPORTER'),
    serviceName: read('OTEL_SERVICE_NAME') ?? named,
    resource,
    sampler: toSampler(read('OTEL_TRACES_SAMPLER'), read('OTEL_TRACES_SAMPLER_ARG')),
    intervalMs: toInterval(read('OTEL_METRIC_EXPORT_INTERVAL')),
  };
}

function toSampler(name: string | undefined, ratio = '1'): Sampler | undefined {
  if (name === undefined) return undefined;
  const match = SAMPLER.exec(name);
  if (match === null)
    throw invalid('OTEL_TRACES_SAMPLER', `must be ${SAMPLERS.join(', ')} or one of these after parentbased_`);
  const followsParent = match[1] !== undefined;
  if (match[2] !== 'traceidratio') return { sampleRatio: match[2] === 'always_on' ? 1 : 0, followsParent };
  const sampleRatio = Number(ratio);
  if (!(sampleRatio >= 0 && sampleRatio <= 1))
    throw invalid('OTEL_TRACES_SAMPLER_ARG', 'must be a number from 0 to 1');
  return { sampleRatio, followsParent };
}

function toInterval(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const intervalMs = Number(text);
  if (!Number.isInteger(intervalMs) || intervalMs < 1_000 || intervalMs > 3_600_000)
    throw invalid('OTEL_METRIC_EXPORT_INTERVAL', 'must be a number of milliseconds from 1000 to 3600000');
  return intervalMs;
}

/** `name=value,name=value`; what is special in a value is escaped as in addresses. */
function toAttributes(text: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf('=');
      const name = pair.slice(0, equals).trim();
      if (equals === -1 || name === '')
        throw invalid('OTEL_RESOURCE_ATTRIBUTES', 'must be NAME=VALUE,NAME=VALUE');
      return [name, decoded(pair.slice(equals + 1).trim())];
    }),
  );
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw invalid('OTEL_RESOURCE_ATTRIBUTES', 'has a % that begins no escaped character; write %25');
  }
}

function invalid(variable: string, message: string): HubError {
  return new HubError('config_invalid', `${variable}: ${message}`);
}
