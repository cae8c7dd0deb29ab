import type * as OpenTelemetry from '@opentelemetry/api';
import type { Span, SpanAttributes, TraceParent, Tracer } from '../../kernel/index.js';
import { headerValues } from '../otlp-settings.js';
import type { Sending } from './sending.js';
import { watchSending } from './watch-sending.js';

export interface TraceExport {
  readonly tracer: Tracer;
  close(): Promise<void>;
}

type Api = typeof OpenTelemetry;

/** Spans are gathered and sent behind; a collector that is slow or away costs some of them, and no call. */
export async function startTraceExport(
  url: string,
  { settings, resource, logger }: Sending,
): Promise<TraceExport> {
  const [api, sdk, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const sender = new OTLPTraceExporter({ url, headers: headerValues(settings) });
  const exporter = watchSending(sender, 'traces', logger);
  const root = new sdk.TraceIdRatioBasedSampler(settings.sampleRatio);
  const provider = new sdk.BasicTracerProvider({
    resource,
    sampler: settings.followsParent ? new sdk.ParentBasedSampler({ root }) : root,
    spanProcessors: [new sdk.BatchSpanProcessor(exporter)],
  });
  return {
    tracer: new OtlpTracer(api, provider.getTracer('crosspoint')),
    close: () => provider.shutdown(),
  };
}

class OtlpTracer implements Tracer {
  readonly #api: Api;
  readonly #tracer: OpenTelemetry.Tracer;

  constructor(api: Api, tracer: OpenTelemetry.Tracer) {
    this.#api = api;
    this.#tracer = tracer;
  }

  begin(name: string, parent: TraceParent, attributes: SpanAttributes): Span {
    const { ROOT_CONTEXT, SpanKind, trace } = this.#api;
    const remote = this.#remote(parent);
    const context = remote === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote);
    return this.#span(name, SpanKind.SERVER, attributes, context);
  }

  #span(name: string, kind: number, attributes: SpanAttributes, context: OpenTelemetry.Context): Span {
    const { SpanKind, trace } = this.#api;
    const span = this.#tracer.startSpan(name, { kind, attributes }, context);
    const { traceId, spanId, traceFlags } = span.spanContext();
    return {
      traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
      child: (part, role, more = {}) =>
        this.#span(
          part,
          role === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
          more,
          trace.setSpan(context, span),
        ),
      note: (later) => void span.setAttributes(later),
      end: (error) => this.#end(span, error),
    };
  }

  #end(span: OpenTelemetry.Span, error: string | undefined): void {
    if (!span.isRecording()) return;
    if (error !== undefined) {
      span.setAttribute('error.type', error);
      span.setStatus({ code: this.#api.SpanStatusCode.ERROR });
    }
    span.end();
  }

  #remote({ traceparent, tracestate }: TraceParent): OpenTelemetry.SpanContext | undefined {
    const [, traceId, spanId, flags] = traceparent?.split('-') ?? [];
    if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
    return {
      traceId,
      spanId,
      traceFlags: Number.parseInt(flags, 16) & this.#api.TraceFlags.SAMPLED,
      isRemote: true,
      ...(tracestate !== undefined && { traceState: this.#api.createTraceState(tracestate) }),
    };
  }
}
