import type { Secret } from '../kernel/index.js';
import type { ConnectorAuth } from './connector.js';

type OAuthAuth = Extract<ConnectorAuth, { readonly type: 'oauth' | 'client_credentials' }>;

/** Whether what the upstream is shown comes from an authorization server, and is not a value that somebody stored. */
export function isOAuth(auth: ConnectorAuth): auth is OAuthAuth {
  return auth.type === 'oauth' || auth.type === 'client_credentials';
}

/** Secrets that stand beside the address, under the names a credential has them. */
export function inlineSecrets(auth: ConnectorAuth): Readonly<Record<string, Secret>> {
  switch (auth.type) {
    case 'bearer':
      return auth.token === undefined ? {} : { token: auth.token };
    case 'api_key':
      return auth.value === undefined ? {} : { value: auth.value };
    case 'header':
      return auth.values;
    case 'none':
    case 'oauth':
    case 'client_credentials':
      return {};
  }
}

/** Addresses that are told a client's secret and its tokens, each at its own place: undefined where it is discovered. */
export function namedServers(auth: ConnectorAuth): readonly (string | undefined)[] {
  if (!isOAuth(auth)) return [];
  const { issuer, authorizationEndpoint, tokenEndpoint, registrationEndpoint, revocationEndpoint } =
    auth.settings;
  return [issuer, authorizationEndpoint, tokenEndpoint, registrationEndpoint, revocationEndpoint];
}
