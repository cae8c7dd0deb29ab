import { z } from 'zod';
import { anyObject, idText, pageOf, pageQuery, time } from './answers.js';
import { defineRoute } from './route.js';

/** What the policy engine can read and every database can keep. */
const text = z
  .string()
  .min(1)
  .max(262_144)
  .regex(/^[^\0\p{Cs}]*$/u, 'must not contain the character NUL or halves of characters');

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
    /** Tags of what was used before in the same conversation. */
    seen: z.array(z.string().min(1).max(64)).max(100).optional(),
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

const policyDraft = z.strictObject({ text: z.string().max(262_144) }).meta({ id: 'PolicyDraft' });

/** What is wrong with a text, and where; lines and columns are counted from 1. */
export const policyCheck = z
  .strictObject({
    problems: z.array(
      z.strictObject({
        severity: z.enum(['error', 'warning']),
        message: z.string(),
        help: z.string().optional(),
        place: z
          .strictObject({ line: z.int(), column: z.int(), endLine: z.int(), endColumn: z.int() })
          .optional(),
      }),
    ),
  })
  .meta({ id: 'PolicyCheck' });

const versionFacts = {
  policy: z.string(),
  version: z.int(),
  at: time,
  /** The admin who saved it; absent where that was not kept. */
  by: z.string().optional(),
  /** Whether it was removed then. */
  removed: z.boolean(),
};

export const policyVersion = z.strictObject(versionFacts).meta({ id: 'PolicyVersion' });
const policyVersionDetail = z
  .strictObject({ ...versionFacts, text: z.string().optional() })
  .meta({ id: 'PolicyVersionDetail' });
const policySchema = z.strictObject({ schema: z.string() }).meta({ id: 'PolicySchema' });

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
    takesArguments: true,
    answer: policyExplanation,
  }),
  check: defineRoute({
    id: 'checkPolicy',
    method: 'post',
    path: '/policies/check',
    role: 'viewer',
    summary: 'What is wrong with the text of a policy, and where; nothing is kept',
    body: policyDraft,
    answer: policyCheck,
  }),
  schema: defineRoute({
    id: 'getPolicySchema',
    method: 'get',
    path: '/policy-schema',
    role: 'viewer',
    summary: 'What policies can speak of: the Cedar schema that they are checked against',
    answer: policySchema,
  }),
  versions: defineRoute({
    id: 'listPolicyVersions',
    method: 'get',
    path: '/policies/{id}/versions',
    role: 'viewer',
    summary: 'When and by whom a policy was changed, newest first; also of one that was removed',
    query: pageQuery,
    answer: pageOf(policyVersion),
  }),
  version: defineRoute({
    id: 'getPolicyVersion',
    method: 'get',
    path: '/policies/{id}/versions/{version}',
    role: 'viewer',
    summary: 'What a policy said in one version',
    answer: policyVersionDetail,
  }),
  restore: defineRoute({
    id: 'restorePolicy',
    method: 'post',
    path: '/policies/{id}/versions/{version}/restore',
    role: 'owner',
    summary: 'Let a policy say again what it said in a version; that is a new version',
    answer: policyView,
    conditional: true,
  }),
  removed: defineRoute({
    id: 'listRemovedPolicies',
    method: 'get',
    path: '/removed-policies',
    role: 'viewer',
    summary: 'Policies that were removed and can be restored',
    query: pageQuery,
    answer: pageOf(policyVersion),
  }),
} as const;

export type PolicyView = z.infer<typeof policyView>;
export type PolicyCheck = z.infer<typeof policyCheck>;
export type PolicyVersionView = z.infer<typeof policyVersion>;
export type PolicyExplanation = z.infer<typeof policyExplanation>;
