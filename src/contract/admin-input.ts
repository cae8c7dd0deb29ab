import { z } from 'zod';
import { ADMIN_ROLES } from './admin/route.js';
import { displayText } from './display-text.js';

const claimValues = z.array(z.string().min(1).max(256)).max(1_000).optional();

/** People who sign in with an identity provider, by OpenID Connect. */
const oidcInput = z.strictObject({
  issuer: z.url(),
  clientId: z.string().min(1).max(512),
  clientSecret: z.string().min(1).optional(),
  scopes: z.array(z.string().min(1).max(128)).max(32).optional(),
  /** Which claim decides about the role; by default the verified e-mail address, else the subject. */
  claim: z.string().min(1).max(128).optional(),
  /** What the claim says of those who have the role. */
  roles: z.strictObject({ owner: claimValues, operator: claimValues, viewer: claimValues }).optional(),
  /** Ids of agents by what the claim says. */
  agents: z.record(z.string(), z.string()).optional(),
});

/** The part `admin` of the configuration file. */
export const adminInput = z.strictObject({
  token: z.string().min(1).optional(),
  accounts: z
    .record(
      z.string(),
      z.strictObject({
        name: displayText(200).optional(),
        role: z.enum(ADMIN_ROLES),
        token: z.string().min(1),
      }),
    )
    .optional(),
  oidc: oidcInput.optional(),
});

export type AdminInput = z.infer<typeof adminInput>;
