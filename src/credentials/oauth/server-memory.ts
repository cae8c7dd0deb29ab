import type { Connector } from '../../connectors/index.js';
import type { Clock } from '../../kernel/index.js';
import {
  rediscover,
  type DiscoveryRequest,
  type FetchContext,
  type ServerMetadata,
} from '../../mcp/auth/index.js';

const KEPT_MS = 5 * 60_000;

interface KnownServer {
  readonly server: ServerMetadata;
  readonly until: number;
}

export type FindServer = (
  connector: Connector,
  request: DiscoveryRequest,
  issuer: string,
  context: FetchContext,
) => Promise<ServerMetadata>;

/**
 * The metadata of authorization servers whose tokens we hold, for renewals that come in numbers. Sign-ins never use it:
 * they look anew. A connector that changes is another object, so nothing outlives its settings.
 */
export function createServerMemory(clock: Clock): FindServer {
  const known = new WeakMap<Connector, Map<string, KnownServer>>();
  return async (connector, request, issuer, context) => {
    const ofConnector = known.get(connector) ?? new Map<string, KnownServer>();
    known.set(connector, ofConnector);
    const kept = ofConnector.get(issuer);
    if (kept !== undefined && kept.until > clock.monotonic()) return kept.server;
    const server = await rediscover(request, issuer, context);
    ofConnector.set(issuer, { server, until: clock.monotonic() + KEPT_MS });
    return server;
  };
}
