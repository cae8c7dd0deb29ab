import type { LiveCatalog } from '../catalog/index.js';
import type { Connector } from '../connectors/index.js';
import type { EventLog, HubEvent } from '../governance/index.js';
import { HubError, type Clock, type ConnectorId, type HubErrorCode } from '../kernel/index.js';
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
  /** The same, of a sync that another process made: why it does not serve, or that it does. */
  heard(connector: Connector, why: string | undefined): void;
  /** Why it does not serve, whether it answers or not, as the latest sync found. */
  verdictOn(connector: Connector): string | undefined;
  forget(connector: ConnectorId): void;
}

export interface HealthDependencies {
  readonly upstreams: Upstreams;
  readonly catalog: LiveCatalog;
  readonly events: EventLog;
  readonly clock: Clock;
  readonly timeoutMs: () => number;
  /** Has other processes that serve the same connectors hear what a sync says of one, and look themselves. */
  readonly tellOthers?: (connector: Connector, why: string | undefined) => void;
}

const HISTORY = 50;
const UPSTREAM_FAILURES: ReadonlySet<HubErrorCode> = new Set([
  'upstream_unavailable',
  'upstream_closed',
  'upstream_timeout',
]);
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
  /** Those whose own process failed here in a sync, which others were told. */
  readonly #toldOf = new WeakSet<Connector>();

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
      return this.#recordAlive(connector);
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
    if (state === 'healthy') this.#recordAlive(change.connector);
    else this.#record(change.connector, state, reason);
  }

  listed(connector: Connector, failure?: unknown): void {
    if (!connector.enabled) return;
    const why = whyUseless(failure);
    if (why !== undefined) {
      this.#useless.set(connector, why);
      this.#recordAlive(connector);
      this.#deps.tellOthers?.(connector, why);
    } else if (failure !== undefined) {
      if (saysNothing(failure)) return;
      void this.#lookAfter(connector);
    } else {
      const wasBad = BAD.has(this.healthOf(connector).state);
      if (this.#useless.delete(connector)) this.#recordAlive(connector);
      else if (wasBad) void this.check(connector);
      if (wasBad) this.#deps.tellOthers?.(connector, undefined);
    }
  }

  heard(connector: Connector, why: string | undefined): void {
    const before = this.#useless.get(connector);
    if (why === undefined) this.#useless.delete(connector);
    else this.#useless.set(connector, why);
    // Whoever made the sync has written it down.
    if (connector.enabled && before !== why) this.#recordAlive(connector, 'known');
    void this.check(connector);
  }

  verdictOn(connector: Connector): string | undefined {
    return this.#useless.get(connector);
  }

  forget(connector: ConnectorId): void {
    this.#states.delete(connector);
    this.#histories.delete(connector);
  }

  /** After a sync that says nothing of what is at the address. A process is of this hub alone, so others cannot look themselves. */
  async #lookAfter(connector: Connector): Promise<void> {
    const { state, reason } = await this.check(connector);
    const isProcess = connector.endpoint.transport === 'stdio' && BAD.has(state);
    if (isProcess) this.#toldOf.add(connector);
    this.#deps.tellOthers?.(connector, isProcess ? reason : this.#useless.get(connector));
  }

  #recordAlive(connector: Connector, news?: News): ConnectorHealth {
    const why = this.#useless.get(connector);
    return this.#record(connector, why === undefined ? 'healthy' : 'unhealthy', why, news);
  }

  #record(
    connector: Connector,
    state: HealthState,
    reason: string | undefined,
    news: News = 'new',
  ): ConnectorHealth {
    const { catalog, clock, tellOthers } = this.#deps;
    const before = this.healthOf(connector);
    // What was found out of a connector as it was before says nothing of it now.
    if (!catalog.isCurrent(connector)) return before;
    const now = clock.now();
    const health = { state, reason, since: before.state === state ? before.since : now, checkedAt: now };
    this.#states.set(connector.id, health);
    catalog.setHidden(connector.id, connector.hideWhenUnhealthy && BAD.has(state));
    if (state === 'healthy' && this.#toldOf.delete(connector)) tellOthers?.(connector, undefined);
    if (before.state === state) return health;
    this.#histories.set(connector.id, [health, ...this.historyOf(connector.id)].slice(0, HISTORY));
    if (news === 'new') this.#append(connector.id, before.state, health);
    return health;
  }

  #append(connector: ConnectorId, from: HealthState, { state: to, reason }: ConnectorHealth): void {
    const change = { connector, from, to, ...(reason !== undefined && { reason }) };
    this.#deps.events.append({ kind: 'hub' }, { type: 'connector.health', ...change });
  }
}

/** What is known was written down by another process. */
type News = 'new' | 'known';

/** What it answered instead of what it offers. That somebody has to sign in is no fault of it. */
function whyUseless(failure: unknown): string | undefined {
  if (!(failure instanceof HubError) || failure.code === 'credential_required') return undefined;
  const answers = failure.code === 'upstream_protocol' || lifeSign(failure) === 'alive';
  return answers ? failure.message : undefined;
}

/** Whether a failed sync is none of the upstream's. */
function saysNothing(failure: unknown): boolean {
  return !(failure instanceof HubError) || !UPSTREAM_FAILURES.has(failure.code);
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
    case 'pin_broken': {
      const { file, expected, found } = change.pin;
      const pin = { file, expected, ...(found !== undefined && { found }) };
      const event = { type: 'connector.pin_broken', connector, ...pin, reason: change.pin.why } as const;
      return { event, state: 'unhealthy', reason: change.reason };
    }
    case 'process_failed':
      return { state: 'failed', reason: change.reason };
    case 'process_recovered':
      return { state: 'healthy' };
  }
}
