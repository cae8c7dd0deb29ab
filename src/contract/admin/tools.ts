import { z } from 'zod';
import { anyObject, idText, pageOf, pageQuery } from './answers.js';
import { toolCallEvent } from './call-events.js';
import { defineRoute } from './route.js';

/** A tool under the name we offer it, with where it comes from. */
export const toolView = z
  .strictObject({
    name: z.string(),
    connector: z.string(),
    /** The upstream's own name. */
    tool: z.string(),
    title: z.string().optional(),
    description: z.string().optional(),
    risk: z.enum(['read', 'write', 'destructive']),
    tags: z.array(z.string()),
    annotations: anyObject.optional(),
    inputSchema: anyObject,
    outputSchema: anyObject.optional(),
  })
  .meta({ id: 'Tool' });

const toolQuery = pageQuery.extend({
  agent: idText.optional(),
  connector: idText.optional(),
  /** Only with `agent`: what it sees, or what it does not see. */
  access: z.enum(['can', 'cannot']).optional(),
  risk: z.enum(['read', 'write', 'destructive']).optional(),
  /** Words that all occur in name, title or description. */
  q: z.string().max(200).optional(),
});

const toolCall = z
  .strictObject({ agent: idText, name: z.string().min(1).max(256), arguments: anyObject.optional() })
  .meta({ id: 'ToolCall' });

const toolCallAnswer = z
  .strictObject({ callId: z.string(), result: anyObject })
  .meta({ id: 'ToolCallAnswer' });

/** What somebody says to a question that came with the events of a call. */
const callAnswer = z
  .discriminatedUnion('action', [
    z.strictObject({ action: z.literal('accept'), content: anyObject.optional() }),
    z.strictObject({ action: z.enum(['decline', 'cancel']) }),
  ])
  .meta({ id: 'CallAnswer' });

export const TOOL_ROUTES = {
  list: defineRoute({
    id: 'listTools',
    method: 'get',
    path: '/tools',
    role: 'viewer',
    summary: 'What an agent sees, or everything on offer',
    query: toolQuery,
    answer: pageOf(toolView),
  }),
  get: defineRoute({
    id: 'getTool',
    method: 'get',
    path: '/tools/{name}',
    role: 'viewer',
    summary: 'One tool, by the name we offer it under',
    answer: toolView,
  }),
  call: defineRoute({
    id: 'callTool',
    method: 'post',
    path: '/tools/call',
    role: 'operator',
    summary: 'Call a tool as an agent, under its policies',
    body: toolCall,
    takesArguments: true,
    answer: toolCallAnswer,
    streams: toolCallEvent,
  }),
  answer: defineRoute({
    id: 'answerCall',
    method: 'post',
    path: '/tools/calls/{callId}/questions/{question}',
    role: 'operator',
    summary: 'Answer a question of a call that is under way, once',
    body: callAnswer,
    takesArguments: true,
  }),
} as const;

export type ToolView = z.infer<typeof toolView>;
export type CallAnswer = z.infer<typeof callAnswer>;
