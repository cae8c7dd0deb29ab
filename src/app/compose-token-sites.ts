import { createAuthorizationSite, createResourceMetadataSite, type Site } from '../edge/index.js';
import { createGuardedFetch } from '../upstreams/index.js';
import type { Hub } from './compose.js';
import type { Config } from './config/config.js';

export interface TokenSiteParts {
  readonly hub: Hub;
  readonly config: () => Config;
}

/** Descriptions of clients are small. */
const MAX_CLIENT_BYTES = 64 * 1024;

/** Where clients learn how to get tokens, and where the hub gives them out itself. */
export function composeTokenSites({ hub, config }: TokenSiteParts): readonly Site[] {
  const { callers, publicUrl, storage, agents, authenticator, clock, clients, browser, clientNetworkOf } =
    hub;
  const { issuers, server } = config().auth;
  const metadata = createResourceMetadataSite({
    tokens: callers.face,
    authorizationServers: () => [
      ...issuers.map(({ issuer }) => issuer),
      ...(server.enabled ? [publicUrl.get()] : []),
    ],
  });
  if (!server.enabled) return [metadata];
  const authorization = createAuthorizationSite({
    ...server,
    issuer: () => publicUrl.get(),
    signingKeys: callers.signingKeys,
    secrets: storage.dataKeys,
    tickets: storage.tickets,
    agents,
    resources: callers.resources,
    fetch: createGuardedFetch({ maxBytes: MAX_CLIENT_BYTES, totalMs: 5_000 }),
    gate: browser.gate,
    approvals: clients,
    clientNetworkOf,
    onRevoked: () => authenticator.forget(),
    clock,
    logger: hub.logger.child({ part: 'authorization server' }),
  });
  return [metadata, authorization];
}
