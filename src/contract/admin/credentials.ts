import { z } from 'zod';
import { idText, pageOf, pageQuery, secretState, time } from './answers.js';
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

/** `expiring`: it is renewed when it is used next. `needs_sign_in`: a person has to. `failed`: it is tried again. */
const credentialState = z
  .enum(['valid', 'expiring', 'needs_sign_in', 'failed'])
  .meta({ id: 'CredentialState' });

export const credentialView = z
  .strictObject({
    connector: z.string(),
    /** `shared`, or the id of an agent. */
    owner: z.string(),
    /** An owner may have several accounts, told apart by name. */
    account: z.string(),
    /** Whether calls are made with it. */
    isDefault: z.boolean(),
    state: credentialState,
    /** Why it is not valid. */
    reason: z.string().optional(),
    /** Of what came from a sign-in. */
    issuer: z.string().optional(),
    scopes: z.array(z.string()).optional(),
    expiresAt: time.optional(),
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
const accountPath = '/connectors/{id}/accounts/{owner}/{account}';
const accountName = z.string().min(1).max(64);

const connection = z
  .strictObject({
    /** Whose account it becomes; otherwise it is shared. */
    agent: idText.optional(),
    account: accountName.optional(),
    /** Where to go afterwards: a page of the hub, or for programs an address of theirs on 127.0.0.1. */
    returnTo: z.string().max(2_048).optional(),
  })
  .meta({ id: 'ConnectionInput' });

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
  accounts: defineRoute({
    id: 'listAccounts',
    method: 'get',
    path: '/connectors/{id}/accounts',
    role: 'viewer',
    summary: 'The accounts of a connector and the state of each',
    query: pageQuery,
    answer: pageOf(credentialView),
  }),
  chooseAccount: defineRoute({
    id: 'chooseAccount',
    method: 'post',
    path: `${accountPath}/default`,
    role: 'operator',
    summary: 'Make calls with this account of the owner from now on',
    answer: credentialView,
  }),
  removeAccount: defineRoute({
    id: 'removeAccount',
    method: 'delete',
    path: accountPath,
    role: 'operator',
    summary: 'Revoke and forget one account',
    conditional: true,
  }),
  connect: defineRoute({
    id: 'connectAccount',
    method: 'post',
    path: '/connectors/{id}/connect',
    role: 'operator',
    summary: 'Begin to sign in; only whoever began can finish',
    body: connection,
    bodyOptional: true,
    answer: z.strictObject({ authorizationUrl: z.string() }),
  }),
  finish: defineRoute({
    id: 'finishConnection',
    method: 'post',
    path: '/connectors/{id}/connect/finish',
    role: 'operator',
    summary: 'Finish a sign-in whose answer came to an address of the program that began it',
    body: z.strictObject({ confirmation: z.string().min(16).max(128) }),
    answer: savedCredential,
  }),
} as const;

export type CredentialInput = z.infer<typeof credentialInput>;
export type CredentialView = z.infer<typeof credentialView>;
export type SavedCredentialView = z.infer<typeof savedCredential>;
