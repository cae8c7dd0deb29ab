import type { LiveCatalog } from '../catalog/index.js';
import type { Connector, ConnectorDirectory, ConnectorStore } from '../connectors/index.js';
import type { EventLog } from '../governance/index.js';
import { HubError, type Clock, type ConnectorId } from '../kernel/index.js';
import type { Upstreams } from '../upstreams/index.js';
import type { HealthBook } from './connector-health.js';
import { requireVersion, toActor, type AdminCaller } from './admin.js';
import type { Turns } from './turns.js';
import { recordHash } from './record-hash.js';

export interface ConnectorWriteDependencies {
  readonly connectors: ConnectorDirectory;
  readonly connectorStore: ConnectorStore;
  readonly catalog: LiveCatalog;
  readonly upstreams: Pick<Upstreams, 'drop' | 'retire'>;
  readonly events: Pick<EventLog, 'append'>;
  readonly health: Pick<HealthBook, 'forget'>;
  readonly turns: Turns;
  readonly clock: Clock;
  /** Told after every change, for whoever keeps up with connectors. */
  readonly connectorsChanged: () => void;
}

/** Changes of a connector and of what belongs to it take turns. */
export function connectorTurn(id: ConnectorId): string {
  return `connector ${id}`;
}

/** The connector, if it is ours to change. */
export async function requireStoredConnector(
  deps: ConnectorWriteDependencies,
  id: ConnectorId,
  expectedVersion: number | undefined,
): Promise<Connector> {
  const connector = await deps.connectors.require(id);
  if (connector.source === 'file')
    throw new HubError('conflict', `connector ${id} comes from the configuration file: change it there`);
  if (connector.source === 'environment')
    throw new HubError(
      'conflict',
      `connector ${id} comes from the environment: change its MCP_SERVER_… variables and restart`,
    );
  if ((await deps.connectorStore.find(id)) === undefined)
    throw new HubError('conflict', `connector ${id} is built in and cannot be changed`);
  requireVersion(connector.version, expectedVersion);
  return connector;
}

/** Keeps and records a change. It counts from `putInForce` on. */
export async function replaceConnector(
  deps: ConnectorWriteDependencies,
  by: AdminCaller,
  before: Connector,
  after: Connector,
): Promise<void> {
  await deps.connectorStore.replace(after, before.version);
  deps.events.append(toActor(by), {
    type: 'connector.changed',
    connector: after.id,
    before: recordHash(before),
    after: recordHash(after),
  });
}

/** What is called from now on is what the directory knows. Calls under way end as they began, unless it is switched off. */
export async function putInForce(deps: ConnectorWriteDependencies, id: ConnectorId): Promise<Connector> {
  const connector = await deps.connectors.require(id);
  deps.catalog.putConnector(connector);
  deps.health.forget(id);
  if (connector.enabled) deps.upstreams.retire(id);
  else dropUpstream(deps, id);
  deps.connectorsChanged();
  return connector;
}

/** The same after something else that belongs to the change. Where that fails, what is stored by then counts all the same. */
export async function putInForceAfter(
  deps: ConnectorWriteDependencies,
  id: ConnectorId,
  more: () => Promise<void>,
): Promise<Connector> {
  try {
    await more();
  } catch (error) {
    await putInForce(deps, id);
    throw error;
  }
  return putInForce(deps, id);
}

/** Not waited for: how long an upstream takes to say goodbye is its own affair. */
export function dropUpstream(
  { upstreams }: { readonly upstreams: Pick<Upstreams, 'drop'> },
  id: ConnectorId,
): void {
  upstreams.drop(id).catch(() => {});
}
