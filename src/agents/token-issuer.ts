import type { Secret } from '../kernel/index.js';
import type { Agent } from './agent.js';
import type { RefusedToken } from './token-verdict.js';

/** Somebody whose access tokens the operator trusts, as configured. */
export interface TrustedIssuer {
  /** Compared as it stands with `iss`. */
  readonly issuer: string;
  /** What the issuer calls us in `aud`, where it is not our address. */
  readonly audience: readonly string[] | undefined;
  readonly jwksUri: string | undefined;
  readonly algorithms: readonly string[];
  /** Accepted `typ` of a JWT; one without counts as `JWT`. */
  readonly types: readonly ('at+jwt' | 'JWT')[];
  /** Without all of these a token is not enough. */
  readonly requiredScopes: readonly string[];
  readonly introspection:
    | { readonly url: string; readonly clientId: string; readonly clientSecret: Secret }
    | undefined;
  readonly agents: SubjectRules;
}

/** Which agent somebody acts as. */
export interface SubjectRules {
  readonly claim: string;
  /** From values of the claim to ids of agents. */
  readonly map: Readonly<Record<string, string>>;
  /** `{value}` stands for the value of the claim. */
  readonly template: string | undefined;
  /** Agents are made for those nobody has named. */
  readonly automatic: { readonly tags: readonly string[] } | undefined;
}

/** Asymmetric ones only: whoever could check an HMAC could also make one. */
export const TOKEN_ALGORITHMS: readonly string[] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
];

/** What a token says, once it is known to be genuine. */
export interface TokenClaims {
  readonly audience: readonly string[];
  readonly scopes: readonly string[];
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly all: Readonly<Record<string, unknown>>;
}

/** Checks the tokens of one issuer. */
export interface IssuerCheck {
  issuer(): string;
  /** Whether tokens that cannot be read are worth asking about here. */
  readonly takesOpaque: boolean;
  readonly audience: readonly string[] | undefined;
  readonly requiredScopes: readonly string[];
  /** Genuine, in time, of the right kind. */
  check(token: string): Promise<TokenClaims | RefusedToken>;
  /** Whom it stands for. */
  findAgent(claims: TokenClaims): Promise<Agent | RefusedToken>;
}

/** RFC 6749, section 3.3. */
export function isScope(text: string): boolean {
  return /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text);
}

/** As `scope` or `scp`, as text or as a list: all are in use. */
export function readScopes(claims: Readonly<Record<string, unknown>>): readonly string[] {
  const value = claims['scope'] ?? claims['scp'];
  const words = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [];
  const texts = words.filter((word): word is string => typeof word === 'string' && isScope(word));
  return [...new Set(texts)].toSorted();
}

export function readAudience({ aud }: Readonly<Record<string, unknown>>): readonly string[] {
  const values = Array.isArray(aud) ? aud : [aud];
  return values.filter((value): value is string => typeof value === 'string');
}
