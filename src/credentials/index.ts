/** What lets us into upstreams. Secret values leave this module only as `Access`, for one connector and one owner. */
export {
  DEFAULT_ACCOUNT,
  type Access,
  type Credential,
  type CredentialOwner,
  type CredentialStore,
  type CredentialSummary,
  type OAuthClient,
  type OAuthClientStore,
  type OAuthGrant,
  type OAuthProblem,
} from './credential.js';
export type { AccountFlow, BegunConnection, GrantedTokens } from './account-flow.js';
export { ANONYMOUS, createAccessProvider, type AccessProvider } from './access-provider.js';
