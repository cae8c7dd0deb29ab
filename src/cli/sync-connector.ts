import { ADMIN_ROUTES, type SyncAnswer } from '../contract/index.js';
import { CliError } from './cli-error.js';
import type { HubClient } from './hub-client.js';

export type SyncOutcome =
  | SyncAnswer
  | {
      readonly error: {
        readonly code: string;
        readonly message: string;
        readonly details?: Readonly<Record<string, unknown>>;
      };
    };

const SYNC_MS = 300_000;

/** Failures on the way to the hub, not of the sync. */
const LOCAL = new Set([
  'hub_not_running',
  'connection_lost',
  'not_a_hub',
  'unauthenticated',
  'forbidden',
  'failed',
]);

/** Never throws for what the upstream did. */
export async function syncConnector(
  hub: HubClient,
  id: string,
  { agent, accept }: { readonly agent?: string; readonly accept?: boolean } = {},
): Promise<SyncOutcome> {
  try {
    const body = { ...(agent !== undefined && { agent }), ...(accept === true && { accept }) };
    return await hub.ask(ADMIN_ROUTES.connectors.sync, { path: { id }, body, timeoutMs: SYNC_MS });
  } catch (error) {
    if (!(error instanceof CliError) || LOCAL.has(error.code)) throw error;
    const { code, message, details } = error;
    return { error: { code, message, ...(details !== undefined && { details }) } };
  }
}
