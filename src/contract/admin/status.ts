import { z } from 'zod';
import { anyObject, time } from './answers.js';
import { defineRoute } from './route.js';

export const statusView = z
  .strictObject({
    version: z.string(),
    startedAt: time,
    uptimeMs: z.int(),
    counts: z.strictObject({
      connectors: z.int(),
      agents: z.int(),
      policies: z.int(),
      tools: z.int(),
      events: z.int(),
    }),
    health: z.strictObject({
      healthy: z.int(),
      unhealthy: z.int(),
      failed: z.int(),
      unknown: z.int(),
      disabled: z.int(),
    }),
    /** While the log cannot be written, calls are refused. */
    audit: z.strictObject({ available: z.boolean() }),
    storage: z.strictObject({ kind: z.string() }),
    config: z.strictObject({
      file: z.union([z.string(), z.null()]),
      /** Where each value came from, by dotted path. */
      sources: z.record(z.string(), z.string()),
    }),
  })
  .meta({ id: 'Status' });

export const STATUS_ROUTES = {
  get: defineRoute({
    id: 'getStatus',
    method: 'get',
    path: '/status',
    role: 'viewer',
    summary: 'Version, counts, health, and where the configuration comes from',
    answer: statusView,
  }),
  description: defineRoute({
    id: 'getDescription',
    method: 'get',
    path: '/openapi.json',
    role: 'viewer',
    summary: 'This API as an OpenAPI document',
    answer: anyObject,
  }),
} as const;

export type StatusView = z.infer<typeof statusView>;
