import { z } from 'zod';

/** Signing in with access tokens, in the configuration file. */

const name = z.string().min(1).max(200);

const subjectRules = z.strictObject({
  claim: name.optional(),
  map: z.record(z.string(), z.string()).optional(),
  template: name.optional(),
  automatic: z
    .union([z.boolean(), z.strictObject({ tags: z.array(z.string().min(1)).optional() })])
    .optional(),
});

const issuer = z.strictObject({
  issuer: z.url(),
  audience: z.union([name, z.array(name).min(1)]).optional(),
  jwksUri: z.url().optional(),
  algorithms: z.array(z.string()).min(1).optional(),
  types: z
    .array(z.enum(['at+jwt', 'JWT']))
    .min(1)
    .optional(),
  requiredScopes: z.array(name).optional(),
  introspection: z
    .strictObject({ url: z.url(), clientId: z.string().min(1), clientSecret: z.string().min(1) })
    .optional(),
  agents: subjectRules,
});

export const authInput = z.strictObject({
  issuers: z.array(issuer).optional(),
  server: z
    .strictObject({
      enabled: z.union([z.boolean(), z.literal('auto')]).optional(),
      scopes: z.array(name).min(1).optional(),
      registration: z.boolean().optional(),
      maxClients: z.int().min(1).max(100_000).optional(),
    })
    .optional(),
});

export type TokenAuthInput = z.infer<typeof authInput>;
export type IssuerInput = z.infer<typeof issuer>;
