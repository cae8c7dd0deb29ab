/** Numbers and traces for those who run the hub. What is sent to a collector is loaded only where one is named. */
export { countEvents } from './call-metrics.js';
export { countServerEvents } from './server-metrics.js';
export { logEvents } from './log-events.js';
export { joinReadings, type WorkerReadings } from './join-readings.js';
export { MetricRegistry, type MetricReading, type ReadSeries } from './metric-registry.js';
export type { OtlpSettings } from './otlp-settings.js';
export { startOtlp, type Otlp } from './otlp/start-otlp.js';
export { observeProcess } from './process-metrics.js';
export { PROMETHEUS_TYPE, toPrometheusText } from './prometheus-text.js';
