import type { ConnectorDirectory } from '../connectors/index.js';
import type { CredentialOwner, CredentialStore } from '../credentials/index.js';
import type { EventLog } from '../governance/index.js';
import { HubError, type ConnectorId } from '../kernel/index.js';
import { requireVersion, toActor, type AdminCaller } from './admin.js';
import { inlineSecrets } from './connector-secrets.js';
import { connectorTurn } from './connector-writes.js';
import { recordHash } from './record-hash.js';
import type { Turns } from './turns.js';

export interface RemoveCredentialDependencies {
  readonly connectors: ConnectorDirectory;
  readonly credentialStore: Pick<CredentialStore, 'find' | 'remove'>;
  readonly events: Pick<EventLog, 'append'>;
  readonly turns: Turns;
}

export type RemoveCredential = (request: {
  readonly by: AdminCaller;
  readonly connector: ConnectorId;
  readonly owner: CredentialOwner;
  readonly expectedVersion?: number;
}) => Promise<void>;

export function createRemoveCredential(deps: RemoveCredentialDependencies): RemoveCredential {
  return ({ by, connector, owner, expectedVersion }) =>
    deps.turns(connectorTurn(connector), async () => {
      const { auth } = await deps.connectors.require(connector);
      const before = await deps.credentialStore.find(connector, owner);
      if (before === undefined && owner.kind === 'shared' && Object.keys(inlineSecrets(auth)).length > 0) {
        throw new HubError(
          'conflict',
          `the credential of connector ${connector} stands in its configuration: remove it there`,
        );
      }
      if (before === undefined) throw new HubError('not_found', 'there is no such credential');
      requireVersion(before.version, expectedVersion);
      await deps.credentialStore.remove(connector, owner);
      deps.events.append(toActor(by), {
        type: 'credential.removed',
        connector,
        owner: owner.kind === 'shared' ? 'shared' : owner.agent,
        before: recordHash(before),
        after: recordHash(undefined),
      });
    });
}
