/**
 * What we can reach: connectors and the rules they must keep.
 *
 * Invariants: a `Connector` is complete and valid; fields of the other transport do not exist on it; secrets in it are wrapped.
 */
export {
  DEFAULT_LIMITS,
  DEFAULT_MAX_LIFETIME_MS,
  DEFAULT_TIMEOUTS,
  type Connector,
  type ConnectorAuth,
  type ConnectorLimits,
  type ConnectorSource,
  type ConnectorTimeouts,
  type CredentialMode,
  type Endpoint,
  type Isolation,
  type OAuthClientAuth,
  type OAuthSettings,
  type OperatorPrompt,
} from './connector.js';
export { inlineSecrets, isOAuth, namedServers } from './connector-auth.js';
export type { ConnectorReader, ConnectorStore } from './connector-store.js';
export { createConnectorDirectory, type ConnectorDirectory } from './connector-directory.js';
export { parseConnector, type ConnectorOrigin } from './parse-connector.js';
export { createNetworkTest, isNetwork, toPlainAddress } from './address-networks.js';
export { isPrivateAddress, isPrivateHost } from './check-url.js';
export {
  hasSecretName,
  hasSecretQuery,
  isKnownSecret,
  isSecretSetting,
  looksSecret,
  passwordIn,
} from './looks-secret.js';
export { generatedParts, maskUrl } from './mask-url.js';
export { tagsOfTool } from './tags-of-tool.js';
