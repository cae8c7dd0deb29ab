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
export { createAccountFlow, type AccountFlowOptions } from './oauth/create-account-flow.js';
export {
  ANONYMOUS,
  configuredHeaders,
  createAccessProvider,
  type AccessProvider,
} from './access-provider.js';
export { TokenKeeper, type TokenKeeperOptions } from './token-keeper.js';
export type { AccountEvent } from './account-event.js';
export { belongsTo, credentialState, type CredentialState, type JudgedState } from './credential-state.js';
export { isSignInRequired, ownerName } from './sign-in-required.js';
export { afterSignIn } from './step-up.js';
export { createKeychainReferences, refersToKeychain } from './keychain-reference.js';
