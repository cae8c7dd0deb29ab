import type { Connector } from '../connectors/index.js';
import type { HubError } from '../kernel/index.js';
import type { McpClient } from '../mcp/client/index.js';
import type { ConnectorResources } from './connector-resources.js';
import type { Vitals } from './to-upstream.js';
import { lifeSign } from './upstream-failure.js';
import type { Upstream } from './upstream.js';
import type { WatchedResources } from './watched-resources.js';

/** One conversation of the pool. */
export interface Member {
  readonly connector: Connector;
  readonly common: ConnectorResources;
  readonly startedAt: number;
  readonly opening: AbortController;
  readonly client: Promise<McpClient>;
  upstream: Upstream | undefined;
  leases: number;
  lastUsed: number;
  listens: boolean;
  watched: WatchedResources | undefined;
  /** Calls in a row that were not answered. */
  silent: number;
  /** No longer given to anybody; ends with its last call. */
  retired: boolean;
}

/** How one conversation is doing says how the connector is doing. */
export function vitalsOf(member: Member): Vitals {
  const { gate } = member.common;
  return {
    alive() {
      member.silent = 0;
      gate.alive();
    },
    failed(error: HubError) {
      if (lifeSign(error) === 'dead') member.silent++;
      gate.failed(error);
    },
  };
}

export async function close(member: Member): Promise<void> {
  member.watched?.end();
  try {
    await (await member.client).close();
  } catch {
    // A conversation that never stood, or is gone already.
  }
}
