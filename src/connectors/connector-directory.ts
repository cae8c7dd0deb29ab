import { HubError, Secret, type ConnectorId } from '../kernel/index.js';
import type { Connector } from './connector.js';
import type { ConnectorReader, ConnectorStore } from './connector-store.js';

/**
 * Configured connectors together with stored ones. An id in the configuration hides a stored one. A connector is the same
 * object as long as it does not change, so that whoever keeps something for it can tell.
 */
export interface ConnectorDirectory extends ConnectorReader {
  require(id: ConnectorId): Promise<Connector>;
  /** Replaces the configured part and tells what is different now. */
  configure(connectors: readonly Connector[]): {
    readonly changed: readonly Connector[];
    readonly removed: readonly ConnectorId[];
  };
}

export function createConnectorDirectory(store: ConnectorStore): ConnectorDirectory {
  let configured = new Map<ConnectorId, Connector>();
  const known = new Map<ConnectorId, Connector>();

  async function find(id: ConnectorId): Promise<Connector | undefined> {
    const own = configured.get(id);
    if (own !== undefined) return own;
    const stored = await store.find(id);
    if (stored !== undefined) return recognise(stored);
    known.delete(id);
    return undefined;
  }

  function recognise(stored: Connector): Connector {
    const before = known.get(stored.id);
    if (
      before?.version === stored.version &&
      before.updatedAt === stored.updatedAt &&
      before.createdAt === stored.createdAt
    )
      return before;
    known.set(stored.id, stored);
    return stored;
  }

  return {
    async list() {
      const stored = (await store.list()).filter(({ id }) => !configured.has(id)).map(recognise);
      return [...configured.values(), ...stored].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    },
    find,
    async require(id) {
      const connector = await find(id);
      if (connector === undefined) throw new HubError('not_found', `there is no connector ${id}`);
      return connector;
    },
    configure(connectors) {
      const before = configured;
      configured = new Map(
        connectors.map((connector) => [connector.id, keepIfSame(connector, before.get(connector.id))]),
      );
      return {
        changed: [...configured.values()].filter((connector) => before.get(connector.id) !== connector),
        removed: [...before.keys()].filter((id) => !configured.has(id)),
      };
    },
  };
}

/** The object of before where nothing but the times differ, so that what did not change is not touched. */
function keepIfSame(connector: Connector, before: Connector | undefined): Connector {
  return before !== undefined && fingerprint(before) === fingerprint(connector) ? before : connector;
}

/** Secrets print alike, so they are compared by what they hold. */
function fingerprint({ version: _v, createdAt: _c, updatedAt: _u, ...rest }: Connector): string {
  return JSON.stringify(rest, function (this: Record<string, unknown>, key, value: unknown) {
    const original = this[key];
    return original instanceof Secret ? original.reveal() : value;
  });
}
