import { ADMIN_ROUTES, type ConnectorDetail } from '../contract/index.js';
import { CliError } from './cli-error.js';
import type { HubClient } from './hub-client.js';

export async function findConnector(hub: HubClient, id: string): Promise<ConnectorDetail | undefined> {
  try {
    return await hub.ask(ADMIN_ROUTES.connectors.get, { path: { id } });
  } catch (error) {
    if (error instanceof CliError && error.code === 'not_found') return undefined;
    throw error;
  }
}

export async function requireConnector(hub: HubClient, id: string): Promise<ConnectorDetail> {
  const connector = await findConnector(hub, id);
  if (connector !== undefined) return connector;
  throw new CliError(`there is no connector ${id}`, {
    code: 'not_found',
    hint: 'See which there are with "crosspoint connector list".',
  });
}
