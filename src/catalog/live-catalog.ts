import type { Connector } from '../connectors/index.js';
import type { ConnectorId } from '../kernel/index.js';
import { hashOf } from './build-snapshot.js';
import type { Snapshot } from './snapshot.js';
import type { CatalogEntry } from './surface.js';

/** The catalogue as it is now, in memory, so that listing and resolving never wait. */
export interface LiveCatalog {
  /** Grows with every change of what could be shown. */
  readonly version: number;
  /** In order of connector id. Connectors that are off, or hidden while unhealthy, are left out. */
  entries(): readonly CatalogEntry[];
  has(connector: string): boolean;
  /** Whether it is described like this now. */
  isCurrent(connector: Connector): boolean;
  /** All of them, whether they are offered or not. */
  connectors(): readonly Connector[];
  snapshotOf(connector: ConnectorId): Snapshot | undefined;
  putConnector(connector: Connector): void;
  putSnapshot(snapshot: Snapshot): void;
  setHidden(connector: ConnectorId, hidden: boolean): void;
  remove(connector: ConnectorId): void;
  /** Told after each change; who needs calm waits himself. */
  onChange(listener: () => void): () => void;
}

export function createLiveCatalog(): LiveCatalog {
  const connectors = new Map<ConnectorId, Connector>();
  const snapshots = new Map<ConnectorId, Snapshot>();
  const hidden = new Set<ConnectorId>();
  const listeners = new Set<() => void>();
  let version = 0;
  let entries: readonly CatalogEntry[] | undefined;

  function changed(): void {
    version++;
    entries = undefined;
    for (const listener of listeners) listener();
  }

  function compute(): readonly CatalogEntry[] {
    return [...connectors.values()]
      .filter(({ id, enabled }) => enabled && !hidden.has(id))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .flatMap((connector) => {
        const snapshot = snapshots.get(connector.id);
        return snapshot === undefined ? [] : [{ connector, snapshot }];
      });
  }

  return {
    get version() {
      return version;
    },
    entries: () => (entries ??= compute()),
    has: (connector) => connectors.has(connector as ConnectorId),
    isCurrent: (connector) => connectors.get(connector.id) === connector,
    connectors: () => [...connectors.values()],
    snapshotOf: (connector) => snapshots.get(connector),
    putConnector(connector) {
      if (connectors.get(connector.id) === connector) return;
      connectors.set(connector.id, connector);
      changed();
    },
    putSnapshot(snapshot) {
      const before = snapshots.get(snapshot.connectorId);
      snapshots.set(snapshot.connectorId, snapshot);
      if (before === undefined || !isShownAlike(before, snapshot)) changed();
    },
    setHidden(connector, hide) {
      if (hidden.has(connector) === hide) return;
      if (hide) hidden.add(connector);
      else hidden.delete(connector);
      changed();
    },
    remove(connector) {
      snapshots.delete(connector);
      hidden.delete(connector);
      if (connectors.delete(connector)) changed();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Whether agents see the same of both. The hash is of what is offered, not of what else the upstream says it can do. */
function isShownAlike(one: Snapshot, other: Snapshot): boolean {
  const said = ({ upstream, ttls }: Snapshot): string => hashOf([upstream.capabilities, ttls ?? {}]);
  return one.hash === other.hash && one.listedAs === other.listedAs && said(one) === said(other);
}
