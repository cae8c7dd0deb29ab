import type { LiveCatalog } from '../catalog/index.js';
import type { Connector } from '../connectors/index.js';
import type { EventLog } from '../governance/index.js';
import { HubError, type Clock, type ConnectorId } from '../kernel/index.js';
import type { Upstreams } from '../upstreams/index.js';

export type HealthState = 'unknown' | 'healthy' | 'unhealthy' | 'disabled';

export interface ConnectorHealth {
  readonly state: HealthState;
  readonly reason: string | undefined;
  /** When this state began. */
  readonly since: number;
  readonly checkedAt: number | undefined;
}

export interface HealthBook {
  healthOf(connector: Connector): ConnectorHealth;
  /** The last changes, newest first. */
  historyOf(connector: ConnectorId): readonly ConnectorHealth[];
  /** Looks whether an upstream lives, and records a change. Never throws. */
  check(connector: Connector): Promise<ConnectorHealth>;
  forget(connector: ConnectorId): void;
}

export interface HealthDependencies {
  readonly upstreams: Upstreams;
  readonly catalog: LiveCatalog;
  readonly events: EventLog;
  readonly clock: Clock;
  readonly timeoutMs: () => number;
}

const HISTORY = 50;

export function createHealthBook(deps: HealthDependencies): HealthBook {
  const { upstreams, catalog, events, clock, timeoutMs } = deps;
  const states = new Map<ConnectorId, ConnectorHealth>();
  const histories = new Map<ConnectorId, ConnectorHealth[]>();
  const startedAt = clock.now();

  function healthOf(connector: Connector): ConnectorHealth {
    const known = states.get(connector.id) ?? {
      state: 'unknown',
      reason: undefined,
      since: startedAt,
      checkedAt: undefined,
    };
    return connector.enabled ? known : { ...known, state: 'disabled', reason: undefined };
  }

  function record(connector: Connector, state: HealthState, reason: string | undefined): ConnectorHealth {
    const before = healthOf(connector);
    const now = clock.now();
    const health = { state, reason, since: before.state === state ? before.since : now, checkedAt: now };
    states.set(connector.id, health);
    catalog.setHidden(connector.id, connector.hideWhenUnhealthy && state === 'unhealthy');
    if (before.state === state) return health;
    histories.set(connector.id, [health, ...(histories.get(connector.id) ?? [])].slice(0, HISTORY));
    const change = {
      connector: connector.id,
      from: before.state,
      to: state,
      ...(reason !== undefined && { reason }),
    };
    events.append({ kind: 'hub' }, { type: 'connector.health', ...change });
    return health;
  }

  return {
    healthOf,
    historyOf: (connector) => histories.get(connector) ?? [],
    async check(connector) {
      if (!connector.enabled) return healthOf(connector);
      try {
        await upstreams.probe(connector, timeoutMs());
        return record(connector, 'healthy', undefined);
      } catch (error) {
        return record(
          connector,
          'unhealthy',
          error instanceof HubError ? error.message : 'unexpected failure',
        );
      }
    },
    forget(connector) {
      states.delete(connector);
      histories.delete(connector);
    },
  };
}
