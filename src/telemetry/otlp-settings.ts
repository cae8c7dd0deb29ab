import type { Secret } from '../kernel/index.js';

/** Where telemetry is sent, by OTLP over HTTP, and what of it. */
export interface OtlpSettings {
  /** Undefined where they are not sent. */
  readonly tracesUrl: string | undefined;
  readonly metricsUrl: string | undefined;
  readonly headers: Readonly<Record<string, Secret>>;
  /** Share of the traces that begin here. */
  readonly sampleRatio: number;
  /** Whether those that others began are kept if they keep them. Otherwise the ratio is for all. */
  readonly followsParent: boolean;
  readonly intervalMs: number;
  readonly serviceName: string;
  /** What else is said of this hub. */
  readonly resource: Readonly<Record<string, string>>;
}

export function headerValues({ headers }: OtlpSettings): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.reveal()]));
}
