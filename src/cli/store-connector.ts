import { ADMIN_ROUTES, type ConnectorInput, type CredentialInput } from '../contract/index.js';
import type { HubClient } from './hub-client.js';

export interface NewConnector {
  readonly id: string;
  /** Without secrets. */
  readonly connector: ConnectorInput;
  readonly credential: CredentialInput | undefined;
  /** Whose the credential is. */
  readonly owner?: string;
}

/** Adds a remote upstream to the hub, with its credential where it has one: both or neither. */
export async function storeConnector(
  hub: HubClient,
  { id, connector, credential, owner = 'shared' }: NewConnector,
): Promise<void> {
  const { leadsIntoPrivateNetwork } = await import('../app/index.js');
  const allowPrivateNetwork = await leadsIntoPrivateNetwork(connector.url ?? '');
  const body = { ...connector, id, ...(allowPrivateNetwork && { allowPrivateNetwork }) };
  await hub.ask(ADMIN_ROUTES.connectors.add, { body });
  if (credential === undefined) return;
  try {
    await hub.ask(ADMIN_ROUTES.credentials.save, { path: { id, owner }, body: credential });
  } catch (error) {
    await hub.ask(ADMIN_ROUTES.connectors.remove, { path: { id } });
    throw error;
  }
}
