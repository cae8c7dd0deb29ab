import { z } from 'zod';
import { anyObject, errorAnswer, time } from './answers.js';

/** What a call goes through, in order. Those that it has no need of are not told. */
const CALL_STAGES = [
  'lookup',
  'policy',
  'confirmation',
  'validation',
  'intent',
  'credential',
  'connect',
  'upstream',
  'guard',
  'outcome',
] as const;

const question = z.strictObject({
  type: z.literal('question'),
  id: z.string(),
  /** A policy that wants a person's consent, the hub itself, or the upstream. */
  from: z.enum(['policy', 'hub', 'upstream']),
  mode: z.enum(['form', 'url']),
  message: z.string(),
  /** Of the form that is wanted. */
  requestedSchema: anyObject.optional(),
  /** Of the page that somebody is to open. */
  url: z.string().optional(),
  /** Until when it can be answered. */
  expiresAt: time,
});

/** What is told of a call while it runs, one to a message. The last is `result` or `error`. */
export const toolCallEvent = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('started'), callId: z.string() }),
    z.strictObject({
      type: z.literal('decision'),
      decision: z.enum(['allow', 'deny', 'confirm']),
      policies: z.array(z.string()),
      reason: z.string(),
    }),
    /** One that is over. Time that people took to answer is told apart. */
    z.strictObject({
      type: z.literal('stage'),
      stage: z.enum(CALL_STAGES),
      ms: z.number(),
      waitedMs: z.number().optional(),
    }),
    z.strictObject({
      type: z.literal('progress'),
      progress: z.number(),
      total: z.number().optional(),
      message: z.string().optional(),
    }),
    question,
    z.strictObject({
      type: z.literal('question_over'),
      id: z.string(),
      reason: z.enum(['answered', 'expired', 'withdrawn']),
    }),
    /** The upstream asked for something that nobody here can give. */
    z.strictObject({ type: z.literal('question_refused'), method: z.string() }),
    z.strictObject({ type: z.literal('result'), callId: z.string(), result: anyObject }),
    z.strictObject({ type: z.literal('error'), error: errorAnswer.shape.error }),
  ])
  .meta({ id: 'ToolCallEvent' });

export type ToolCallEvent = z.infer<typeof toolCallEvent>;
export type ToolCallQuestion = z.infer<typeof question>;
export type CallStage = (typeof CALL_STAGES)[number];
