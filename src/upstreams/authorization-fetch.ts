import type { Connector } from '../connectors/index.js';
import { createGuardedFetch, type GuardedFetch, type GuardedFetchOptions } from './guarded-fetch.js';

/**
 * Fetches for whatever belongs to signing in to a connector. An authorization server does not inherit the connector's
 * leave to reach into a private network, unless it is on the same host or the operator named it.
 */
export function createAuthorizationFetch(
  limits: Pick<GuardedFetchOptions, 'totalMs' | 'maxBytes' | 'lookup'> = {},
): (connector: Connector) => GuardedFetch {
  // A connector that changes is another object.
  const known = new WeakMap<Connector, GuardedFetch>();
  return (connector) => {
    const fetch = known.get(connector) ?? createGuardedFetch({ ...limits, ...reachOf(connector) });
    known.set(connector, fetch);
    return fetch;
  };
}

function reachOf(connector: Connector): Pick<GuardedFetchOptions, 'privateOrigins' | 'privateHost'> {
  const { endpoint, allowPrivateNetwork } = connector;
  if (!allowPrivateNetwork || endpoint.transport === 'stdio') return {};
  const own = new URL(endpoint.url);
  return { privateOrigins: [own, ...namedServers(connector)], privateHost: own.hostname };
}

function namedServers({ auth }: Connector): readonly URL[] {
  if (auth.type !== 'oauth' && auth.type !== 'client_credentials') return [];
  const { issuer, authorizationEndpoint, tokenEndpoint, registrationEndpoint, revocationEndpoint } =
    auth.settings;
  return [issuer, authorizationEndpoint, tokenEndpoint, registrationEndpoint, revocationEndpoint]
    .filter((address) => address !== undefined)
    .map((address) => new URL(address));
}
