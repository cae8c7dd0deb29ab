import { z } from 'zod';
import { secretState, time } from './answers.js';
import { defineRoute } from './route.js';

/** Goes into a header: printable, and blank where the stored one is to stay. */
const headerValue = z
  .string()
  .max(16_384)
  .regex(/^[\x20-\x7e\x80-\xff]*$/, 'has characters that a header cannot carry');

const named = z.record(z.string().min(1).max(128), headerValue);

/**
 * `token` for bearer, `value` for api_key (either word does for both), `headers` by name for header; or any of them by
 * name in `values`. What is blank or not given stays as it is stored.
 */
export const credentialInput = z
  .strictObject({
    token: headerValue.optional(),
    value: headerValue.optional(),
    headers: named.optional(),
    values: named.optional(),
  })
  .meta({ id: 'CredentialInput' });

export const credentialView = z
  .strictObject({
    connector: z.string(),
    /** `shared`, or the id of an agent. */
    owner: z.string(),
    set: z.literal(true),
    /** Of the only secret, where there is only one. */
    last4: z.string().optional(),
    values: z.record(z.string(), secretState),
    version: z.int(),
    updatedAt: time,
  })
  .meta({ id: 'Credential' });

/** The first credential of an agent makes the hub look what the upstream offers; how that went is told but changes nothing. */
export const savedCredential = credentialView
  .extend({
    sync: z
      .union([
        z.strictObject({ state: z.literal('done'), tools: z.int() }),
        z.strictObject({ state: z.literal('running') }),
        z.strictObject({ state: z.literal('failed'), code: z.string(), message: z.string() }),
      ])
      .optional(),
  })
  .meta({ id: 'SavedCredential' });

const path = '/connectors/{id}/credentials/{owner}';

export const CREDENTIAL_ROUTES = {
  get: defineRoute({
    id: 'getCredential',
    method: 'get',
    path,
    role: 'viewer',
    summary: 'Whether a credential is stored; never its values',
    answer: credentialView,
  }),
  save: defineRoute({
    id: 'saveCredential',
    method: 'put',
    path,
    role: 'operator',
    summary: 'Store a credential',
    body: credentialInput,
    answer: savedCredential,
    creates: 'maybe',
    conditional: true,
  }),
  remove: defineRoute({
    id: 'removeCredential',
    method: 'delete',
    path,
    role: 'operator',
    summary: 'Forget a credential',
    conditional: true,
  }),
} as const;

export type CredentialInput = z.infer<typeof credentialInput>;
export type CredentialView = z.infer<typeof credentialView>;
export type SavedCredentialView = z.infer<typeof savedCredential>;
