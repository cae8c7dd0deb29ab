import { Secret } from '../../kernel/index.js';
import type { Tokens } from '../../mcp/auth/index.js';
import type { GrantedTokens } from '../account-flow.js';
import type { OAuthGrant } from '../credential.js';

type Parties = Pick<OAuthGrant, 'issuer' | 'resource' | 'clientId' | 'scopes' | 'redirectUri'>;

export function grantedBy(tokens: Tokens, parties: Parties, now: number): GrantedTokens {
  const { issuer, resource, clientId, redirectUri, scopes } = parties;
  return {
    values: {
      access_token: new Secret(tokens.accessToken),
      ...(tokens.refreshToken !== undefined && { refresh_token: new Secret(tokens.refreshToken) }),
    },
    grant: {
      issuer,
      resource,
      clientId,
      ...(redirectUri !== undefined && { redirectUri }),
      scopes: tokens.scopes ?? scopes,
      obtainedAt: now,
      expiresAt: endOf(tokens, now),
      problem: undefined,
    },
  };
}

/** Without a new refresh token the old one goes on. */
export function renewedBy(
  tokens: Tokens,
  grant: OAuthGrant,
  refreshToken: Secret,
  now: number,
): GrantedTokens {
  return {
    values: {
      access_token: new Secret(tokens.accessToken),
      refresh_token: tokens.refreshToken === undefined ? refreshToken : new Secret(tokens.refreshToken),
    },
    grant: {
      ...grant,
      scopes: tokens.scopes ?? grant.scopes,
      obtainedAt: now,
      expiresAt: endOf(tokens, now),
      problem: undefined,
    },
  };
}

function endOf({ expiresInSeconds }: Tokens, now: number): number | undefined {
  return expiresInSeconds === undefined ? undefined : now + expiresInSeconds * 1_000;
}
