import type { Logger, Tracer } from '../../kernel/index.js';
import type { MetricRegistry } from '../metric-registry.js';
import type { OtlpSettings } from '../otlp-settings.js';
import { startMetricExport } from './metric-export.js';
import { startTraceExport } from './trace-export.js';

export interface OtlpParts {
  readonly settings: OtlpSettings;
  readonly registry: MetricRegistry;
  readonly version: string;
  readonly instance: string;
  readonly logger: Logger;
}

/** What is sent to a collector. */
export interface Otlp {
  /** Undefined where traces are not wanted. */
  readonly tracer: Tracer | undefined;
  /** Sends what is left, for a bounded time. May be called twice. */
  close(): Promise<void>;
}

/** How long a hub that stops waits for its collector. */
const CLOSE_MS = 3_000;

export async function startOtlp({ settings, registry, version, instance, logger }: OtlpParts): Promise<Otlp> {
  const { diag, DiagLogLevel } = await import('@opentelemetry/api');
  // The path of its address may be what lets us in.
  const endpoint = new URL(settings.tracesUrl ?? settings.metricsUrl ?? '').origin;
  const lines = logger.child({ endpoint });
  const silent = (): void => {};
  diag.setLogger(
    {
      // What could not be sent is told by whoever sends it.
      error: silent,
      // The collector's own words may be in it, which may hold anything.
      warn: () => lines.warn({}, 'some telemetry was lost'),
      info: silent,
      debug: silent,
      verbose: silent,
    },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const { resourceFromAttributes } = await import('@opentelemetry/resources');
  const resource = resourceFromAttributes({
    'service.instance.id': instance,
    ...settings.resource,
    'service.name': settings.serviceName,
    'service.version': version,
  });
  const { tracesUrl, metricsUrl } = settings;
  const to = { settings, resource, logger: lines };
  const traces = tracesUrl === undefined ? undefined : await startTraceExport(tracesUrl, to);
  const metrics = metricsUrl === undefined ? undefined : await startMetricExport(metricsUrl, to, registry);
  let closing: Promise<void> | undefined;
  return {
    tracer: traces?.tracer,
    close: () => (closing ??= within(CLOSE_MS, [traces, metrics])),
  };
}

async function within(
  limitMs: number,
  exports: readonly ({ close(): Promise<void> } | undefined)[],
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)));
  await Promise.race([Promise.allSettled(exports.map(async (one) => one?.close())), late]);
  clearTimeout(timer);
}
