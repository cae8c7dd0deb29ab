import { z } from 'zod';
import { anyObject, idText, pageOf, pageQuery, time } from './answers.js';
import { defineRoute } from './route.js';

const text = z.string().min(1).max(262_144);

const policyAddition = z.strictObject({ id: z.string().min(1).max(64), text }).meta({ id: 'PolicyAddition' });
const policyReplacement = z.strictObject({ text }).meta({ id: 'PolicyReplacement' });

export const policyView = z
  .strictObject({
    id: z.string(),
    text: z.string(),
    source: z.enum(['file', 'stored', 'built_in']),
    readOnly: z.boolean(),
    version: z.int(),
    updatedAt: time,
  })
  .meta({ id: 'Policy' });

const policyQuestion = z
  .strictObject({
    agent: idText,
    /** The exposed name, or connector and upstream name as `connector/tool`. */
    tool: z.string().min(1).max(256),
    arguments: anyObject.optional(),
  })
  .meta({ id: 'PolicyQuestion' });

export const policyExplanation = z
  .strictObject({
    decision: z.enum(['allow', 'deny', 'confirm']),
    policies: z.array(z.string()),
    reason: z.string(),
    /** Whether the agent sees the tool at all. */
    listed: z.boolean(),
    connector: z.string(),
    tool: z.string(),
    exposedName: z.string(),
    risk: z.enum(['read', 'write', 'destructive']),
    tags: z.array(z.string()),
  })
  .meta({ id: 'PolicyExplanation' });

export const POLICY_ROUTES = {
  list: defineRoute({
    id: 'listPolicies',
    method: 'get',
    path: '/policies',
    role: 'viewer',
    summary: 'All policy documents',
    query: pageQuery,
    answer: pageOf(policyView),
  }),
  add: defineRoute({
    id: 'addPolicy',
    method: 'post',
    path: '/policies',
    role: 'owner',
    summary: 'Add a policy document',
    body: policyAddition,
    answer: policyView,
    creates: 'always',
  }),
  get: defineRoute({
    id: 'getPolicy',
    method: 'get',
    path: '/policies/{id}',
    role: 'viewer',
    summary: 'One policy document',
    answer: policyView,
  }),
  save: defineRoute({
    id: 'savePolicy',
    method: 'put',
    path: '/policies/{id}',
    role: 'owner',
    summary: 'Add or replace a policy document',
    body: policyReplacement,
    answer: policyView,
    creates: 'maybe',
    conditional: true,
  }),
  remove: defineRoute({
    id: 'removePolicy',
    method: 'delete',
    path: '/policies/{id}',
    role: 'owner',
    summary: 'Remove a policy document',
    conditional: true,
  }),
  explain: defineRoute({
    id: 'explainPolicy',
    method: 'post',
    path: '/policies/explain',
    role: 'viewer',
    summary: 'What the policies say of a call, and why',
    body: policyQuestion,
    answer: policyExplanation,
  }),
} as const;

export type PolicyView = z.infer<typeof policyView>;
export type PolicyExplanation = z.infer<typeof policyExplanation>;
