import { parseConnector } from '../../connectors/index.js';
import type { ConnectorInput } from '../../contract/index.js';

/** Throws `invalid_request` for what the hub would not accept in its configuration file. */
export function checkConnector(id: string, connector: ConnectorInput): void {
  parseConnector(id, connector, { source: 'file', now: 0 });
}
