import type { Clock } from '../kernel/index.js';
import { LEEWAY_SECONDS } from './check-jwt.js';
import type { IssuerFetch } from './issuer-keys.js';
import { readAudience, readScopes, type TokenClaims, type TrustedIssuer } from './token-issuer.js';
import { cannotTell, refuseToken, type RefusedToken } from './token-verdict.js';

const TIMEOUT_MS = 5_000;

export interface IntrospectionOptions {
  readonly issuer: string;
  readonly introspection: NonNullable<TrustedIssuer['introspection']>;
  readonly fetch: IssuerFetch;
  readonly clock: Clock;
}

/** Asks the issuer what a token is worth (RFC 7662). */
export async function introspectToken(
  token: string,
  options: IntrospectionOptions,
): Promise<TokenClaims | RefusedToken> {
  const claims = await ask(token, options);
  if (claims === undefined) return cannotTell('the issuer could not be asked about a token');
  if (claims['active'] !== true) return refuseToken('a token that its issuer does not accept');
  const now = options.clock.now() / 1000;
  const { iss, exp, nbf } = claims;
  if (iss !== undefined && iss !== options.issuer) return refuseToken('a token whose iss is not accepted');
  if (exp !== undefined && !(typeof exp === 'number' && exp + LEEWAY_SECONDS > now))
    return refuseToken('an expired token');
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf - LEEWAY_SECONDS <= now))
    return refuseToken('a token whose nbf is not accepted');
  return {
    audience: readAudience(claims),
    scopes: readScopes(claims),
    expiresAt: typeof exp === 'number' ? exp * 1000 : Number.POSITIVE_INFINITY,
    all: claims,
  };
}

async function ask(
  token: string,
  { introspection, fetch }: IntrospectionOptions,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { url, clientId, clientSecret } = introspection;
  // Both parts are form-encoded before they are joined (RFC 6749, section 2.3.1).
  const pair = [clientId, clientSecret.reveal()].map(formEncode).join(':');
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ token, token_type_hint: 'access_token' }).toString(),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (answer.status !== 200) return undefined;
    const body: unknown = await answer.json();
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function formEncode(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}
