import { parseConnector } from '../../connectors/index.js';
import type { ConnectorInput } from '../../contract/index.js';
import { HubError } from '../../kernel/index.js';
import { findForeignReference } from '../config/expand-references.js';

/** Throws `invalid_request` for what the hub would not accept in its configuration file. */
export function checkConnector(id: string, connector: ConnectorInput): void {
  parseConnector(id, connector, { source: 'file', now: 0 });
  const field = `connectors.${id}`;
  const foreign = findForeignReference(connector, field);
  if (foreign !== undefined) throw new HubError('invalid_request', foreign, { details: { field } });
}
