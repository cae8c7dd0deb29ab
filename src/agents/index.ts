/** Who calls us: agents and the keys that prove it. A key is never stored, only its digest. */
export type { Agent, AgentKey, AgentReader, AgentStore } from './agent.js';
export { createAgentDirectory, type AgentDirectory, type ConfiguredAgent } from './agent-directory.js';
export { createAuthenticator, digestKey, type Authenticator, type Identity } from './authenticator.js';
export { checkJwt, UnknownKey, type JwtExpectations } from './check-jwt.js';
export { createIssuerCheck, type EnrolAgent, type IssuerCheckDependencies } from './issuer-check.js';
export type { IssuerFetch } from './issuer-keys.js';
export {
  isScope,
  TOKEN_ALGORITHMS,
  type IssuerCheck,
  type SubjectRules,
  type TokenClaims,
  type TrustedIssuer,
} from './token-issuer.js';
export { refuseToken, type AcceptedToken, type RefusedToken, type TokenVerdict } from './token-verdict.js';
export { createTokenVerifier, type TokenVerifier } from './token-verifier.js';
export { createAgentKey, MIN_KEY_LENGTH } from './agent-key.js';
export type { AdminAccount, AdminStore } from './admin-account.js';
export type { BrowserPrincipal, BrowserProof, BrowserSession, BrowserSessions } from './browser-session.js';
export { createBrowserSessions, type BrowserSessionsOptions } from './browser-sessions.js';
export {
  createAdminAccount,
  createAdminDirectory,
  HUB_ADMIN,
  type AdminDirectory,
  type KnownAdmin,
} from './admin-directory.js';
export { createProofCheck, type ProofCheckDependencies } from './proof-check.js';
export {
  createSingleSignOn,
  type BegunSignIn,
  type ProvenIdentity,
  type SingleSignOn,
  type SingleSignOnSettings,
} from './single-sign-on.js';
export { createOpenIdExchange, type ProviderFetch } from './openid-exchange.js';
