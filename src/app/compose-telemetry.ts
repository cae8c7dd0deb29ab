import type { LiveCatalog } from '../catalog/index.js';
import type { WorkerLink } from '../coordination/index.js';
import type { LoadGuard, ReadyCheck } from '../edge/index.js';
import type { Clock, Coordination, Logger } from '../kernel/index.js';
import type { EventLog } from '../governance/index.js';
import type { HealthBook, HeldCalls } from '../operations/index.js';
import {
  countEvents,
  countServerEvents,
  joinReadings,
  logEvents,
  MetricRegistry,
  observeProcess,
  PROMETHEUS_TYPE,
  startOtlp,
  toPrometheusText,
  type MetricReading,
  type WorkerReadings,
} from '../telemetry/index.js';
import type { Config } from './config/config.js';
import { VERSION } from './version.js';

export interface TelemetryParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly events: EventLog;
  readonly coordination: Coordination;
  readonly instance: { readonly id: string };
  readonly link: WorkerLink | undefined;
}

/** Numbers about this process, and where they go. */
export async function composeTelemetry(parts: TelemetryParts) {
  const { config, clock, logger, events, coordination, instance, link } = parts;
  const registry = new MetricRegistry(clock.now());
  const stopProcess = observeProcess(registry, VERSION);
  const subscriptions = [
    events.subscribe(countEvents(registry)),
    events.subscribe(logEvents(logger, config.logLevel === 'debug' ? 'all' : 'internal')),
  ];
  const available = (name: string, help: string, read: () => boolean): void =>
    registry.observe('gauge', { name, help }, () => [{ labels: [], value: read() ? 1 : 0 }]);
  available('crosspoint.event_log.available', 'Whether events can be written.', () => events.available);
  available(
    'crosspoint.coordination.available',
    'Whether other replicas can be reached.',
    () => coordination.available,
  );
  link?.serve('metrics', () => registry.read());
  const { otlp } = config.telemetry;
  const collector =
    otlp === undefined
      ? undefined
      : await startOtlp({ settings: otlp, registry, version: VERSION, instance: instance.id, logger });
  return {
    registry,
    tracer: collector?.tracer,
    onServerEvent: countServerEvents(registry),
    async readMetrics() {
      const metrics = link === undefined ? registry.read() : await readAllWorkers(link, registry);
      return { type: PROMETHEUS_TYPE, text: toPrometheusText(metrics) };
    },
    async close() {
      for (const unsubscribe of subscriptions) unsubscribe();
      stopProcess();
      await collector?.close();
    },
  };
}

/** Whichever worker is asked tells of all. */
async function readAllWorkers(link: WorkerLink, registry: MetricRegistry): Promise<readonly MetricReading[]> {
  try {
    return joinReadings((await link.ask('metrics', [])) as readonly WorkerReadings[]);
  } catch {
    return registry.read();
  }
}

export interface OfferParts {
  readonly catalog: LiveCatalog;
  readonly health: HealthBook;
  readonly held: HeldCalls;
  readonly load: Pick<LoadGuard, 'running' | 'shed' | 'shedBy'>;
}

/** How many there are of what the hub keeps. */
export function observeOffers(registry: MetricRegistry, { catalog, health, held, load }: OfferParts): void {
  registry.observe(
    'gauge',
    { name: 'crosspoint.connectors', help: 'Connectors by state.', labels: ['state'] },
    () => {
      const states = new Map<string, number>();
      for (const connector of catalog.connectors()) {
        const { state } = health.healthOf(connector);
        states.set(state, (states.get(state) ?? 0) + 1);
      }
      return [...states].map(([state, value]) => ({ labels: [state], value }));
    },
  );
  registry.observe('gauge', { name: 'crosspoint.tools', help: 'Tools of all connectors.' }, () => {
    const counts = catalog.connectors().map(({ id }) => catalog.snapshotOf(id)?.tools.length ?? 0);
    return [{ labels: [], value: counts.reduce((sum, count) => sum + count, 0) }];
  });
  registry.observe(
    'gauge',
    { name: 'crosspoint.parked_calls', help: 'Calls that wait for their caller to bring an answer.' },
    () => [{ labels: [], value: held.size }],
  );
  registry.observe(
    'gauge',
    { name: 'crosspoint.calls.running', help: 'Requests that are being served.' },
    () => [{ labels: [], value: load.running }],
  );
  registry.observe(
    'counter',
    {
      name: 'crosspoint.calls.shed',
      help: 'Requests turned away unread because there was too much to do, by the connector where that was so.',
      labels: ['connector'],
    },
    () => [
      { labels: [''], value: load.shed },
      ...[...load.shedBy].map(([connector, value]) => ({ labels: [connector], value })),
    ],
  );
}

export interface ReadyParts {
  readonly isStarted: () => boolean;
  readonly events: Pick<EventLog, 'available'>;
  readonly instance: { readonly isHeard: boolean };
  readonly coordination: Pick<Coordination, 'available' | 'kind'>;
  readonly load: { readonly isResponsive: boolean };
}

/** What must be so before calls can be served. */
export function readyChecks(parts: ReadyParts): readonly ReadyCheck[] {
  const { isStarted, events, instance, coordination, load } = parts;
  const check = (name: string, ok: boolean, reason: string): ReadyCheck =>
    ok ? { name, ok } : { name, ok, reason };
  return [
    check('hub', isStarted(), 'it is starting or stopping'),
    check(
      'event_log',
      events.available,
      'events cannot be written, so no call is made; look whether the disk is full or the database away',
    ),
    check(
      'store',
      instance.isHeard,
      'the store takes nothing; look whether the disk is full, or the database away or open for reading only',
    ),
    check(
      'coordination',
      coordination.available,
      coordination.kind === 'workers'
        ? 'the process that runs this worker cannot be reached'
        : `${coordination.kind} cannot be reached or keeps nothing; look at coordination.url, and whether the server runs, has room and is no copy of another`,
    ),
    check('load', load.isResponsive, 'more is asked of this process than it can do; run more of them'),
  ];
}
