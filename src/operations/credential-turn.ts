import type { CredentialOwner } from '../credentials/index.js';
import type { ConnectorId } from '../kernel/index.js';
import { agentTurn } from './agent-writes.js';
import { connectorTurn } from './connector-writes.js';
import type { Turns } from './turns.js';

/** Changes of a credential happen one after the other, and not while its connector or its owner changes. */
export function credentialTurn<Result>(
  turns: Turns,
  connector: ConnectorId,
  owner: CredentialOwner,
  work: () => Promise<Result>,
): Promise<Result> {
  const afterConnector = () => turns(connectorTurn(connector), work);
  return owner.kind === 'shared' ? afterConnector() : turns(agentTurn(owner.agent), afterConnector);
}
