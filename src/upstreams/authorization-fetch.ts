import { namedServers, type Connector } from '../connectors/index.js';
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

function reachOf({
  endpoint,
  auth,
  allowPrivateNetwork,
}: Connector): Pick<GuardedFetchOptions, 'privateOrigins' | 'privateHost'> {
  if (!allowPrivateNetwork || endpoint.transport === 'stdio') return {};
  const own = new URL(endpoint.url);
  const named = namedServers(auth).flatMap((address) => (address === undefined ? [] : [new URL(address)]));
  return { privateOrigins: [own, ...named], privateHost: own.hostname };
}
