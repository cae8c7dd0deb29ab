import { z } from 'zod';
import { adminInput } from './admin-input.js';
import { authInput } from './auth-input.js';
import { connectorInput } from './connector-input.js';
import { telemetryInput } from './telemetry-input.js';

/** The configuration file. Every key is optional; unknown keys are refused. */

const rate = z.strictObject({ perSecond: z.number().min(0).default(0), burst: z.int().min(1).default(1) });
const milliseconds = z.int().min(1).max(86_400_000);
/** In files, prompts may be given as the path of a Markdown file. */
const fileConnector = connectorInput.extend({
  prompts: z.union([z.string(), connectorInput.shape.prompts]).optional(),
});

export const configInput = z.strictObject({
  $schema: z.string().optional(),
  server: z
    .strictObject({
      host: z.string().min(1).optional(),
      port: z.int().min(0).max(65_535).optional(),
      workers: z.int().min(1).max(64).optional(),
      publicUrl: z.url().optional(),
      allowedOrigins: z.array(z.string()).optional(),
      allowedHosts: z.array(z.string()).optional(),
      trustedProxies: z.array(z.string()).max(1_000).optional(),
      maxBodyBytes: z.int().min(1_024).max(268_435_456).optional(),
      streaming: z.enum(['auto', 'off']).optional(),
      sessions: z.enum(['auto', 'off']).optional(),
      batches: z.boolean().optional(),
      rejectChunked: z.boolean().optional(),
      fastFront: z.boolean().optional(),
      keepAliveMs: z.int().min(1_000).max(3_600_000).optional(),
      connectionsPerAddress: z.int().min(0).max(1_000_000).optional(),
      allowStdioFromApi: z.boolean().optional(),
    })
    .optional(),
  storage: z.strictObject({ url: z.string().min(1) }).optional(),
  coordination: z.strictObject({ url: z.string().min(1) }).optional(),
  admin: adminInput.optional(),
  auth: authInput.optional(),
  agents: z
    .record(
      z.string(),
      z.strictObject({
        name: z.string().min(1).max(200).optional(),
        keys: z.array(z.string().min(1)).optional(),
        tags: z.array(z.string()).optional(),
        enabled: z.boolean().optional(),
      }),
    )
    .optional(),
  connectors: z.record(z.string(), fileConnector).optional(),
  mcpServers: z.record(z.string(), fileConnector).optional(),
  toolsets: z.record(z.string(), z.strictObject({ tools: z.array(z.string().min(1)).min(1) })).optional(),
  policies: z.array(z.string()).optional(),
  audit: z
    .strictObject({
      arguments: z.enum(['off', 'hashed', 'encrypted']).optional(),
      durability: z.enum(['process', 'disk']).optional(),
      onFailure: z.enum(['refuse']).optional(),
      maxEvents: z.int().min(1_000).optional(),
      maxDays: z.int().min(1).optional(),
    })
    .optional(),
  limits: z
    .strictObject({
      perAgent: rate.optional(),
      perTool: rate.optional(),
      inFlight: z.int().min(1).max(1_000_000).optional(),
    })
    .optional(),
  health: z
    .strictObject({ intervalMs: milliseconds.optional(), timeoutMs: milliseconds.optional() })
    .optional(),
  sync: z.strictObject({ intervalMs: z.int().min(0).max(604_800_000).optional() }).optional(),
  outputCheck: z.enum(['off', 'warn', 'refuse']).optional(),
  idempotencyKeys: z.boolean().optional(),
  telemetry: telemetryInput.optional(),
});

export type ConfigInput = z.infer<typeof configInput>;
