import type { ConnectorId } from '../kernel/index.js';
import type { Connector } from './connector.js';

/** Connectors made through the admin API. Those of files and the environment are configuration and not stored. */
export interface ConnectorReader {
  list(): Promise<readonly Connector[]>;
  find(id: ConnectorId): Promise<Connector | undefined>;
}

export interface ConnectorStore extends ConnectorReader {
  /** Throws `conflict` if the id exists. */
  add(connector: Connector): Promise<void>;
  /** Throws `precondition_failed` unless the stored version is `expectedVersion`. */
  replace(connector: Connector, expectedVersion: number): Promise<void>;
  remove(id: ConnectorId): Promise<void>;
}
