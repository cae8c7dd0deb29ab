import { z } from 'zod';
import { time } from './answers.js';
import { defineRoute } from './route.js';

/** `failed`: the upstream or the way to it failed, or the tool said so. `denied`: refused by the hub. */
const counts = { calls: z.int(), failed: z.int(), denied: z.int() };
/** Milliseconds from intent to end, of calls that were made; missing where there were none. */
const latency = { p50Ms: z.number().optional(), p99Ms: z.number().optional() };

const minute = z.strictObject({ at: time, ...counts, ...latency });
const share = z.strictObject({ id: z.string(), ...counts, perMinute: z.array(z.int()) });

const statisticsView = z
  .strictObject({
    since: time,
    total: z.strictObject({ ...counts, ...latency }),
    /** One for each minute, oldest first; the last one is still growing. */
    minutes: z.array(minute),
    /** Those with calls only, the busiest first. */
    connectors: z.array(share),
    agents: z.array(share),
  })
  .meta({ id: 'Statistics' });

export const STATISTICS_ROUTES = {
  get: defineRoute({
    id: 'getStatistics',
    method: 'get',
    path: '/statistics',
    role: 'viewer',
    summary: 'Calls of the last hour, by minute, connector and agent',
    answer: statisticsView,
  }),
} as const;

export type StatisticsView = z.infer<typeof statisticsView>;
