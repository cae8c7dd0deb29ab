import type { SnapshotStore } from '../catalog/index.js';
import type { ConnectorDirectory } from '../connectors/index.js';
import type { CredentialStore, OAuthClientStore } from '../credentials/index.js';
import type { EventLog } from '../governance/index.js';
import type { ConnectorId } from '../kernel/index.js';
import { toActor, type AdminCaller } from './admin.js';
import {
  connectorTurn,
  dropUpstream,
  requireStoredConnector,
  type ConnectorWriteDependencies,
} from './connector-writes.js';
import { recordHash } from './record-hash.js';
import type { TaskDesk } from './tasks/task-desk.js';
import { readAccounts, revokeAccounts, type RevokeAccountsDependencies } from './revoke-accounts.js';

export interface RemoveConnectorDependencies extends ConnectorWriteDependencies, RevokeAccountsDependencies {
  readonly connectors: ConnectorDirectory;
  readonly events: Pick<EventLog, 'append'>;
  readonly tasks: Pick<TaskDesk, 'removeAllFor'>;
  readonly credentialStore: Pick<CredentialStore, 'find' | 'list' | 'removeAllFor'>;
  readonly oauthClients: Pick<OAuthClientStore, 'removeAllFor'>;
  readonly snapshots: Pick<SnapshotStore, 'removeAllFor'>;
}

export type RemoveConnector = (request: {
  readonly by: AdminCaller;
  readonly id: ConnectorId;
  readonly expectedVersion?: number;
}) => Promise<void>;

export function createRemoveConnector(deps: RemoveConnectorDependencies): RemoveConnector {
  return ({ by, id, expectedVersion }) =>
    deps.turns(connectorTurn(id), async () => {
      const before = await requireStoredConnector(deps, id, expectedVersion);
      // The connector last: if we are stopped in between, it can be removed again, and no secret is left without it.
      const accounts = await readAccounts(deps, ({ connector }) => connector === id);
      await deps.credentialStore.removeAllFor(id);
      await revokeAccounts(deps, toActor(by), accounts);
      await deps.tasks.removeAllFor(id);
      await deps.oauthClients.removeAllFor(id);
      await deps.snapshots.removeAllFor(id);
      await deps.connectorStore.remove(id);
      deps.events.append(toActor(by), {
        type: 'connector.removed',
        connector: id,
        before: recordHash(before),
        after: recordHash(undefined),
      });
      deps.catalog.remove(id);
      deps.health.forget(id);
      dropUpstream(deps, id);
      deps.connectorsChanged();
    });
}
