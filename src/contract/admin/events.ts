import { z } from 'zod';
import { idText, pageOf, pageQuery, time } from './answers.js';
import { defineRoute } from './route.js';

export const EVENT_TYPES = [
  'call.intended',
  'call.finished',
  'call.refused',
  'call.repeated',
  'question.refused',
  'question.reduced',
  'answer.reduced',
  'progress.dropped',
  'connector.added',
  'connector.changed',
  'connector.removed',
  'connector.synced',
  'connector.sync_failed',
  'connector.health',
  'connector.pin_broken',
  'connector.breaker_opened',
  'connector.breaker_closed',
  'agent.added',
  'agent.changed',
  'agent.removed',
  'key.added',
  'key.revoked',
  'credential.saved',
  'credential.removed',
  'account.connecting',
  'account.connected',
  'account.refused',
  'account.renewed',
  'account.needs_sign_in',
  'account.failed',
  'account.chosen',
  'account.disconnected',
  'policy.changed',
  'config.reloaded',
  'config.refused',
  'auth.refused',
  'session.started',
  'session.ended',
  'admin.added',
  'admin.removed',
  'client.registered',
  'client.authorized',
  'client.revoked',
  'master_key.rotated',
  'events.exported',
  'hub.started',
  'hub.stopped',
  'hub.recovered',
] as const;

export const CALL_OUTCOMES = [
  'ok',
  'tool_error',
  'denied',
  'invalid',
  'failed',
  'cancelled',
  'outcome_unknown',
] as const;

/** A date, a date with time and offset, or milliseconds since 1970. */
const moment = z.union([z.iso.datetime({ offset: true }), z.iso.date(), z.string().regex(/^\d{1,15}$/)], {
  error:
    'must be a date like 2026-11-01, with time and zone like 2026-11-01T09:30:00Z, or milliseconds since 1970',
});

const filters = z.strictObject({
  agent: idText.optional(),
  connector: idText.optional(),
  type: z.enum(EVENT_TYPES).optional(),
  outcome: z.enum(CALL_OUTCOMES).optional(),
  callId: z.string().min(1).max(128).optional(),
  /** The name under which it is offered. */
  tool: z.string().min(1).max(256).optional(),
  /** From here on, itself included. */
  since: moment.optional(),
  /** Up to here, itself excluded. */
  until: moment.optional(),
});

/** Further members depend on the type. */
export const eventView = z
  .looseObject({
    sequence: z.int(),
    at: time,
    type: z.enum(EVENT_TYPES),
    actor: z.looseObject({ kind: z.enum(['agent', 'admin', 'hub']) }),
    previousHash: z.string(),
    hash: z.string(),
  })
  .meta({ id: 'Event' });

const chainVerdict = z
  .union([
    z.strictObject({ ok: z.literal(true), events: z.int(), first: z.int(), head: z.string() }),
    z.strictObject({ ok: z.literal(false), sequence: z.int(), problem: z.enum(['missing', 'altered']) }),
  ])
  .meta({ id: 'ChainVerdict' });

export const EVENT_ROUTES = {
  list: defineRoute({
    id: 'listEvents',
    method: 'get',
    path: '/events',
    role: 'viewer',
    summary: 'The event log, newest first',
    query: pageQuery.extend(filters.shape),
    answer: pageOf(eventView),
  }),
  stream: defineRoute({
    id: 'streamEvents',
    method: 'get',
    path: '/events/stream',
    role: 'viewer',
    summary: 'Events as they are kept (server-sent events); Last-Event-ID resumes after that sequence',
    query: filters,
    answers: 'event_stream',
  }),
  export: defineRoute({
    id: 'exportEvents',
    method: 'get',
    path: '/events/export',
    role: 'operator',
    summary: 'The event log up to now, oldest first, as one JSON document to a line; the export is recorded',
    query: filters,
    answers: 'lines',
    line: eventView,
  }),
  verify: defineRoute({
    id: 'verifyEvents',
    method: 'post',
    path: '/events/verify',
    role: 'operator',
    summary: 'Check the hash chain of the whole log',
    answer: chainVerdict,
  }),
} as const;

export type EventFilters = z.infer<typeof filters>;
export type EventView = z.infer<typeof eventView>;
