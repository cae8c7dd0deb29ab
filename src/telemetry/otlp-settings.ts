import type { Secret } from '../kernel/index.js';

/** Where telemetry is sent, and what of it. */
export interface OtlpSettings {
  /** Base address of a collector that takes OTLP over HTTP. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, Secret>>;
  readonly traces: boolean;
  readonly metrics: boolean;
  /** Share of the traces that begin here. Those that others began are kept if they keep them. */
  readonly sampleRatio: number;
  readonly intervalMs: number;
  readonly serviceName: string;
}

export function signalUrl({ endpoint }: OtlpSettings, signal: 'traces' | 'metrics'): string {
  return `${endpoint.replace(/\/+$/, '')}/v1/${signal}`;
}

export function headerValues({ headers }: OtlpSettings): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.reveal()]));
}
