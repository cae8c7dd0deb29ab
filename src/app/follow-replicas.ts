import type { Connector } from '../connectors/index.js';
import { toConnectorId, type ConnectorId } from '../kernel/index.js';
import { POLICY_TURN } from '../operations/index.js';
import { loadPolicies } from './apply-config.js';
import type { Hub } from './compose.js';
import type { Config } from './config/config.js';
import { RepeatedTask } from './repeated-task.js';

const DEAF_MS = 5_000;

/** Puts in force here what other replicas changed in the store. Answers how to stop. */
export function followReplicas(hub: Hub, config: () => Config): () => void {
  const { logger, replicas } = hub;
  const snapshots = new Follower((due, again) => readSnapshots(hub, due, again));
  const verdicts = new Follower((due) =>
    readVerdicts(
      hub,
      hub.catalog.connectors().filter(({ id }) => due === 'all' || due.has(id)),
    ),
  );
  const task = (work: () => Promise<void>, what: string) =>
    new RepeatedTask(work, logger, `${what} changed by another replica could not be read; it is tried again`);
  // In turn with changes made here, so that what was read before one is not put in force after it.
  const policies = task(() => hub.ownTurns(POLICY_TURN, () => loadPolicies(hub, config())), 'policies');
  const connectors = task(() => lookAtConnectors(hub), 'connectors');
  const offers = task(() => snapshots.look(), 'snapshots');
  const health = task(() => verdicts.look(), 'the health of connectors');
  const stops = [
    replicas.hear('policies', () => policies.request()),
    replicas.hear('connectors', () => connectors.request()),
    replicas.hear('snapshots', (id) => {
      snapshots.missed(id);
      offers.request();
    }),
    replicas.hear('health', (id) => {
      verdicts.missed(id);
      health.request();
    }),
  ];
  // Those who cannot hear of a change look for it, so that no rule and no key outlives its end by much.
  const deaf = setInterval(() => {
    if (hub.coordination.available) return;
    for (const topic of ['agents', 'policies', 'connectors'] as const) replicas.doubt(topic);
  }, DEAF_MS).unref();
  const tasks = [policies, connectors, offers, health];
  replicas.followed(async () => {
    await Promise.all(tasks.map((each) => each.done()));
  });
  return () => {
    clearInterval(deaf);
    for (const stop of stops) stop();
    for (const each of tasks) each.stop();
  };
}

/** What is called from now on is what the store says. Calls under way end as they began, unless their connector is switched off. */
async function lookAtConnectors(hub: Hub): Promise<void> {
  const current = await readConnectors(hub);
  const ids = new Set(current.map(({ id }) => id));
  const before = new Map(hub.catalog.connectors().map((connector) => [connector.id, connector]));
  for (const id of before.keys()) {
    if (ids.has(id)) continue;
    hub.catalog.remove(id);
    hub.health.forget(id);
    hub.upstreams.drop(id).catch(() => {});
  }
  const added: ConnectorId[] = [];
  const different = current.filter((connector) => before.get(connector.id) !== connector);
  for (const connector of different) {
    const known = before.get(connector.id);
    hub.catalog.putConnector(connector);
    hub.health.forget(connector.id);
    if (known === undefined) added.push(connector.id);
    else if (connector.enabled) hub.upstreams.retire(connector.id);
    else hub.upstreams.drop(connector.id).catch(() => {});
  }
  for (const id of added) {
    const snapshot = await hub.storage.snapshots.latest(id);
    if (snapshot !== undefined && hub.catalog.has(id)) hub.catalog.putSnapshot(snapshot);
  }
  await readVerdicts(hub, different);
  hub.connectorsChanged.emit();
}

/** What syncs in other processes said of the health of connectors. Where that was lost, what is known here is given back. */
export async function readVerdicts(
  { verdicts, health, catalog }: Hub,
  connectors: readonly Connector[],
): Promise<void> {
  if (verdicts === undefined) return;
  await Promise.all(
    connectors.map(async (connector) => {
      const found = await verdicts.find(connector);
      if (!catalog.isCurrent(connector)) return;
      const known = health.verdictOn(connector);
      if (found !== undefined) health.heard(connector, found.why);
      else if (known !== undefined) await verdicts.restore(connector, known);
    }),
  );
}

/** What was read before a change that is made here must not be put in force after it. */
export async function readConnectors({ catalog, connectors }: Hub): Promise<readonly Connector[]> {
  for (;;) {
    const before = catalog.connectors();
    const current = await connectors.list();
    const after = catalog.connectors();
    if (after.length === before.length && after.every((connector, index) => connector === before[index]))
      return current;
  }
}

type Due = ReadonlySet<ConnectorId> | 'all';

/** Reads again only what was told of, or everything where something was missed. */
class Follower {
  readonly #read: (due: Due, again: (id: ConnectorId) => void) => Promise<void>;
  #due: Set<ConnectorId> | 'all' = new Set();

  constructor(read: (due: Due, again: (id: ConnectorId) => void) => Promise<void>) {
    this.#read = read;
  }

  missed(id: string | undefined): void {
    if (id === undefined) this.#due = 'all';
    else if (this.#due !== 'all') this.#due.add(toConnectorId(id));
  }

  async look(): Promise<void> {
    while (this.#due === 'all' || this.#due.size > 0) {
      const due = this.#due;
      this.#due = new Set();
      try {
        await this.#read(due, (id) => this.missed(id));
      } catch (error) {
        if (due === 'all') this.#due = 'all';
        else for (const id of due) this.missed(id);
        throw error;
      }
    }
  }
}

async function readSnapshots(
  { catalog, storage }: Hub,
  due: Due,
  again: (id: ConnectorId) => void,
): Promise<void> {
  const before = new Map(catalog.connectors().map(({ id }) => [id, catalog.snapshotOf(id)]));
  const found =
    due === 'all'
      ? await storage.snapshots.latestOfAll()
      : await Promise.all([...due].map((id) => storage.snapshots.latest(id)));
  for (const snapshot of found) {
    if (snapshot === undefined || !catalog.has(snapshot.connectorId)) continue;
    // Which is newer cannot be told by their times, which are of different clocks: where one was put here meanwhile, the
    // store is asked again.
    const known = catalog.snapshotOf(snapshot.connectorId);
    if (known === before.get(snapshot.connectorId)) catalog.putSnapshot(snapshot);
    else again(snapshot.connectorId);
  }
}
