import { z } from 'zod';

/** Numbers and traces, in the configuration file. */
export const telemetryInput = z.strictObject({
  metrics: z.enum(['admin', 'open', 'off']).optional(),
  serviceName: z.string().min(1).max(200).optional(),
  otlp: z
    .strictObject({
      endpoint: z.url().optional(),
      headers: z.record(z.string(), z.string().min(1)).optional(),
      traces: z.boolean().optional(),
      metrics: z.boolean().optional(),
      sampleRatio: z.number().min(0).max(1).optional(),
      intervalMs: z.int().min(1_000).max(3_600_000).optional(),
    })
    .optional(),
});

export type TelemetryInput = z.infer<typeof telemetryInput>;
