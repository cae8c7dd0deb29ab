import { z } from 'zod';
import { pageOf, pageQuery, time } from './answers.js';
import { displayText } from '../display-text.js';
import { credentialView } from './credentials.js';
import { defineRoute } from './route.js';

const agentFields = {
  name: displayText(200).optional(),
  enabled: z.boolean().optional(),
  tags: z.array(displayText(64)).max(32).optional(),
};

export const agentAddition = z
  .strictObject({ id: z.string().min(1).max(64), ...agentFields })
  .meta({ id: 'AgentAddition' });
export const agentPatch = z.strictObject(agentFields).meta({ id: 'AgentPatch' });

export const agentView = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    enabled: z.boolean(),
    tags: z.array(z.string()),
    source: z.enum(['file', 'stored', 'built_in']),
    readOnly: z.boolean(),
    version: z.int(),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: 'Agent' });

export const keyView = z
  .strictObject({ id: z.string(), last4: z.string(), createdAt: time, expiresAt: time.optional() })
  .meta({ id: 'AgentKey' });
export const agentDetail = agentView
  .extend({ keys: z.array(keyView), credentials: z.array(credentialView) })
  .meta({ id: 'AgentDetail' });

const keyInput = z.strictObject({ expiresAt: z.iso.datetime({ offset: true }).optional() });
/** The only answer that ever shows the key. */
const newKey = keyView.extend({ agent: z.string(), key: z.string() }).meta({ id: 'NewAgentKey' });

export const AGENT_ROUTES = {
  list: defineRoute({
    id: 'listAgents',
    method: 'get',
    path: '/agents',
    role: 'viewer',
    summary: 'All agents',
    query: pageQuery,
    answer: pageOf(agentView),
  }),
  add: defineRoute({
    id: 'addAgent',
    method: 'post',
    path: '/agents',
    role: 'owner',
    summary: 'Add an agent',
    body: agentAddition,
    answer: agentDetail,
    creates: 'always',
  }),
  get: defineRoute({
    id: 'getAgent',
    method: 'get',
    path: '/agents/{id}',
    role: 'viewer',
    summary: 'One agent and its keys',
    answer: agentDetail,
  }),
  change: defineRoute({
    id: 'changeAgent',
    method: 'patch',
    path: '/agents/{id}',
    role: 'owner',
    summary: 'Change an agent; what is not given stays',
    body: agentPatch,
    answer: agentDetail,
    conditional: true,
  }),
  remove: defineRoute({
    id: 'removeAgent',
    method: 'delete',
    path: '/agents/{id}',
    role: 'owner',
    summary: 'Remove an agent with its keys and credentials',
    conditional: true,
  }),
  addKey: defineRoute({
    id: 'addAgentKey',
    method: 'post',
    path: '/agents/{id}/keys',
    role: 'owner',
    summary: 'Make a key; it is shown this once',
    body: keyInput,
    bodyOptional: true,
    answer: newKey,
    creates: 'always',
  }),
  revokeKey: defineRoute({
    id: 'revokeAgentKey',
    method: 'delete',
    path: '/agents/{id}/keys/{keyId}',
    role: 'owner',
    summary: 'Revoke a key at once',
  }),
} as const;

export type AgentAddition = z.infer<typeof agentAddition>;
export type AgentPatch = z.infer<typeof agentPatch>;
export type AgentView = z.infer<typeof agentView>;
export type AgentDetail = z.infer<typeof agentDetail>;
export type AgentKeyView = z.infer<typeof keyView>;
