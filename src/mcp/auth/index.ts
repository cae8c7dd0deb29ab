/**
 * OAuth as a client of MCP servers: what the specification adds around a certified OAuth library, which makes and reads
 * the requests themselves. Functions of values and one injected fetch; nothing is kept.
 *
 * Invariants: no address of a server is used before it was checked; PKCE with S256 always; messages of failures are ours,
 * never a server's.
 */
export { AuthFailure, endsRenewal, type AuthFailureKind, type ServerError } from './auth-failure.js';
export { coversServer } from './address.js';
export { findBearerChallenge, type BearerChallenge, type Challenge } from './challenge.js';
export type { AuthFetch, FetchContext } from './json-answer.js';
export {
  discover,
  isSettled,
  namedIssuer,
  rediscover,
  type Discovery,
  type DiscoveryRequest,
  type Overrides,
} from './discover.js';
export { probeChallenge } from './probe.js';
export type { ServerMetadata } from './server-metadata.js';
export { chooseScopes, type ScopeSources } from './scopes.js';
export { registerClient, type RegisteredClient } from './register-client.js';
export { chooseAuthMethod, type ClientIdentity, type TokenAuthMethod } from './client-identity.js';
export {
  beginAuthorization,
  checkAuthorizationAnswer,
  requireUsable,
  type AuthorizationAnswer,
  type BegunAuthorization,
} from './authorization.js';
export {
  exchangeCode,
  refreshTokens,
  requestMachineTokens,
  revokeToken,
  type Tokens,
} from './token-requests.js';
