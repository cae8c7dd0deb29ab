import type { LiveCatalog } from '../catalog/index.js';
import type { Connector } from '../connectors/index.js';
import type { CredentialOwner } from '../credentials/index.js';
import type { Actor } from '../governance/index.js';
import type { SyncConnector, SyncReport } from './sync-connector.js';

export interface SyncIfUnknownDependencies {
  readonly catalog: Pick<LiveCatalog, 'snapshotOf'>;
  readonly syncConnector: SyncConnector;
  /** How long to wait for the sync; it goes on by itself. */
  readonly syncWaitMs?: number;
}

export type SyncAttempt =
  | { readonly state: 'done'; readonly report: SyncReport }
  | { readonly state: 'running' }
  | { readonly state: 'failed'; readonly error: unknown };

const SYNC_WAIT_MS = 5_000;

/** A new account may be the first chance to see what there is. However it ends, the account is kept. */
export async function syncIfUnknown(
  deps: SyncIfUnknownDependencies,
  actor: Actor,
  connector: Connector,
  owner: CredentialOwner,
): Promise<SyncAttempt | undefined> {
  if (!connector.enabled || deps.catalog.snapshotOf(connector.id) !== undefined) return undefined;
  const request = {
    connector: connector.id,
    actor,
    newCredential: true,
    ...(owner.kind === 'agent' && { agent: owner.agent }),
  };
  const sync = deps.syncConnector(request).then(
    (report): SyncAttempt => ({ state: 'done', report }),
    (error: unknown): SyncAttempt => ({ state: 'failed', error }),
  );
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<SyncAttempt>((resolve) => {
    timer = setTimeout(() => resolve({ state: 'running' }), deps.syncWaitMs ?? SYNC_WAIT_MS);
  });
  return Promise.race([sync, patience]).finally(() => clearTimeout(timer));
}
