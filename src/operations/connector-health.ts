import type { LiveCatalog } from '../catalog/index.js';
import type { Connector } from '../connectors/index.js';
import type { EventLog, HubEvent } from '../governance/index.js';
import { HubError, type Clock, type ConnectorId } from '../kernel/index.js';
import { lifeSign, type UpstreamChange, type Upstreams } from '../upstreams/index.js';

/** `failed`: its process ended so often that it is no longer started by itself. */
export type HealthState = 'unknown' | 'healthy' | 'unhealthy' | 'failed' | 'disabled';

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
  /** Records what an upstream showed by itself, without waiting for the next check. */
  note(change: UpstreamChange): void;
  /** Records whether what it offers could be fetched, which an upstream at a wrong address, say, answers and does not do. */
  listed(connector: Connector, failure?: unknown): void;
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
const BAD: ReadonlySet<HealthState> = new Set(['unhealthy', 'failed']);

export function createHealthBook(deps: HealthDependencies): HealthBook {
  return new Book(deps);
}

class Book implements HealthBook {
  readonly #deps: HealthDependencies;
  readonly #unknown: ConnectorHealth;
  readonly #states = new Map<ConnectorId, ConnectorHealth>();
  readonly #histories = new Map<ConnectorId, readonly ConnectorHealth[]>();
  /** Why those that live do not serve: a connector that is described differently has yet to show it. */
  readonly #useless = new WeakMap<Connector, string>();

  constructor(deps: HealthDependencies) {
    this.#deps = deps;
    this.#unknown = { state: 'unknown', reason: undefined, since: deps.clock.now(), checkedAt: undefined };
  }

  healthOf(connector: Connector): ConnectorHealth {
    const known = this.#states.get(connector.id) ?? this.#unknown;
    if (connector.enabled) return known;
    return { ...known, state: 'disabled', reason: undefined, since: connector.updatedAt };
  }

  historyOf(connector: ConnectorId): readonly ConnectorHealth[] {
    return this.#histories.get(connector) ?? [];
  }

  async check(connector: Connector): Promise<ConnectorHealth> {
    if (!connector.enabled) return this.healthOf(connector);
    const { upstreams, timeoutMs } = this.#deps;
    try {
      await upstreams.probe(connector, timeoutMs());
      const why = this.#useless.get(connector);
      return this.#record(connector, why === undefined ? 'healthy' : 'unhealthy', why);
    } catch (error) {
      const known = error instanceof HubError ? error : undefined;
      const state = known?.details?.['reason'] === 'process_failed' ? 'failed' : 'unhealthy';
      return this.#record(connector, state, known?.message ?? 'unexpected failure');
    }
  }

  note(change: UpstreamChange): void {
    const { catalog, events } = this.#deps;
    if (!change.connector.enabled || !catalog.isCurrent(change.connector)) return;
    const { event, state, reason } = meaningOf(change);
    if (event !== undefined) events.append({ kind: 'hub' }, event);
    this.#record(change.connector, state, reason);
  }

  listed(connector: Connector, failure?: unknown): void {
    if (!connector.enabled) return;
    const why = whyUseless(failure);
    if (why !== undefined) {
      this.#useless.set(connector, why);
      this.#record(connector, 'unhealthy', why);
    } else if (failure === undefined && this.#useless.delete(connector)) {
      this.#record(connector, 'healthy', undefined);
    }
  }

  forget(connector: ConnectorId): void {
    this.#states.delete(connector);
    this.#histories.delete(connector);
  }

  #record(connector: Connector, state: HealthState, reason: string | undefined): ConnectorHealth {
    const { catalog, events, clock } = this.#deps;
    const before = this.healthOf(connector);
    // What was found out of a connector as it was before says nothing of it now.
    if (!catalog.isCurrent(connector)) return before;
    const now = clock.now();
    const health = { state, reason, since: before.state === state ? before.since : now, checkedAt: now };
    this.#states.set(connector.id, health);
    catalog.setHidden(connector.id, connector.hideWhenUnhealthy && BAD.has(state));
    if (before.state === state) return health;
    this.#histories.set(connector.id, [health, ...this.historyOf(connector.id)].slice(0, HISTORY));
    const change = {
      connector: connector.id,
      from: before.state,
      to: state,
      ...(reason !== undefined && { reason }),
    };
    events.append({ kind: 'hub' }, { type: 'connector.health', ...change });
    return health;
  }
}

/** What it answered instead of what it offers. That somebody has to sign in is no fault of it. */
function whyUseless(failure: unknown): string | undefined {
  if (!(failure instanceof HubError) || failure.code === 'credential_required') return undefined;
  const answers = failure.code === 'upstream_protocol' || lifeSign(failure) === 'alive';
  return answers ? failure.message : undefined;
}

interface Meaning {
  readonly event?: HubEvent;
  readonly state: HealthState;
  readonly reason?: string;
}

/** What a change of an upstream says about the health of its connector, and what is written down besides. */
function meaningOf(change: UpstreamChange): Meaning {
  const connector = change.connector.id;
  switch (change.type) {
    case 'breaker_opened': {
      const { failures, reason } = change;
      const event = { type: 'connector.breaker_opened', connector, failures, reason } as const;
      return { event, state: 'unhealthy', reason };
    }
    case 'breaker_closed': {
      const event = { type: 'connector.breaker_closed', connector, openMs: change.openMs } as const;
      return { event, state: 'healthy' };
    }
    case 'process_failed':
      return { state: 'failed', reason: change.reason };
    case 'process_recovered':
      return { state: 'healthy' };
  }
}
