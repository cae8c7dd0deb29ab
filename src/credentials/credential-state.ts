import { isOAuth, type Connector } from '../connectors/index.js';
import type { Credential, OAuthGrant } from './credential.js';

/** What people are shown of a credential, wherever they look. */
export const CREDENTIAL_STATES = ['valid', 'expiring', 'needs_sign_in', 'failed'] as const;
export type CredentialState = (typeof CREDENTIAL_STATES)[number];

/** How long before its end a token is renewed, and for tokens that live shortly, after which part of their life. */
const RENEW_AHEAD_MS = 60_000;
const RENEW_AHEAD_PART = 0.2;

/** How much earlier than it ends a token is renewed. */
export function renewalLead({ obtainedAt, expiresAt }: OAuthGrant): number {
  const lifeMs = (expiresAt ?? obtainedAt) - obtainedAt;
  return Math.max(0, Math.min(RENEW_AHEAD_MS, lifeMs * RENEW_AHEAD_PART));
}

/** The names of the values are enough: no secret is looked at. */
export type JudgedCredential = Pick<Credential, 'grant'> & {
  readonly values: Readonly<Record<string, unknown>>;
};

export const EXPIRED = 'the token has expired and cannot be renewed';

export interface JudgedState {
  readonly state: CredentialState;
  /** Fixed words of ours; undefined where there is nothing to say. */
  readonly reason?: string;
}

/** One answer for API, command line, pages and decisions. */
export function credentialState(
  { grant, values }: JudgedCredential,
  connector: Pick<Connector, 'auth' | 'endpoint'>,
  now: number,
): JudgedState {
  if (grant === undefined) return { state: 'valid' };
  if (!belongsTo(grant, connector))
    return { state: 'needs_sign_in', reason: 'it was given for another server than the connector names now' };
  const { problem, expiresAt } = grant;
  if (problem !== undefined)
    return { state: problem.state === 'failed' ? 'failed' : 'needs_sign_in', reason: problem.reason };
  if (expiresAt === undefined || now < expiresAt - renewalLead(grant)) return { state: 'valid' };
  const renewable = values['refresh_token'] !== undefined || connector.auth.type === 'client_credentials';
  return renewable || now < expiresAt ? { state: 'expiring' } : { state: 'needs_sign_in', reason: EXPIRED };
}

/**
 * Whether tokens of this grant may be sent to the connector's address. What was granted by another issuer, to another
 * client or for another resource never is.
 */
export function belongsTo(
  grant: OAuthGrant,
  { auth, endpoint }: Pick<Connector, 'auth' | 'endpoint'>,
): boolean {
  if (endpoint.transport === 'stdio' || !isOAuth(auth)) return false;
  const { issuer, clientId, resource } = auth.settings;
  if (issuer !== undefined && issuer !== grant.issuer) return false;
  if (clientId !== undefined && clientId !== grant.clientId) return false;
  return resource === undefined ? covers(grant.resource, endpoint.url) : resource === grant.resource;
}

/** A resource covers what lies below it at the same origin; one with a query, what has the same query. */
function covers(resource: string, url: string): boolean {
  if (!URL.canParse(resource)) return false;
  const [one, other] = [new URL(resource), new URL(url)];
  if (one.search !== '' && one.search !== other.search) return false;
  const base = one.pathname.replace(/\/$/, '');
  return one.origin === other.origin && (other.pathname === base || other.pathname.startsWith(`${base}/`));
}
