/** What lets us into upstreams. Secret values leave this module only as `Access`, for one connector and one owner. */
export type {
  Access,
  Credential,
  CredentialOwner,
  CredentialStore,
  CredentialSummary,
} from './credential.js';
export { ANONYMOUS, createAccessProvider, type AccessProvider } from './access-provider.js';
