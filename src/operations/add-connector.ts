import type { SnapshotStore } from '../catalog/index.js';
import { inlineSecrets, parseConnector, type Connector } from '../connectors/index.js';
import type { ConnectorAddition } from '../contract/index.js';
import type { CredentialStore } from '../credentials/index.js';
import { HubError, invalidField, isName, NAME_RULE } from '../kernel/index.js';
import { requireOwner, toActor, type AdminCaller } from './admin.js';
import { saveSharedSecrets, withoutSecrets } from './connector-secrets.js';
import { connectorTurn, putInForceAfter, type ConnectorWriteDependencies } from './connector-writes.js';
import { requireMayRefer } from './keep-credential.js';
import { requireStdioAllowed } from './stdio-permission.js';
import { recordHash } from './record-hash.js';

export interface AddConnectorDependencies extends ConnectorWriteDependencies {
  readonly credentialStore: Pick<CredentialStore, 'find' | 'save' | 'removeAllFor'>;
  readonly snapshots: Pick<SnapshotStore, 'removeAllFor'>;
  readonly allowStdioFromApi: boolean;
}

export type AddConnector = (request: {
  readonly by: AdminCaller;
  readonly input: ConnectorAddition;
}) => Promise<Connector>;

export function createAddConnector(deps: AddConnectorDependencies): AddConnector {
  return async function addConnector({ by, input }) {
    const given = readAddition(deps, by, input);
    const { id } = given;
    return deps.turns(connectorTurn(id), async () => {
      if ((await deps.connectors.find(id)) !== undefined)
        throw new HubError('conflict', `there is already a connector ${id}`);
      // What an earlier connector of this name left behind must not be shown to the new one's upstream.
      await deps.credentialStore.removeAllFor(id);
      await deps.snapshots.removeAllFor(id);
      const connector = withoutSecrets(given);
      await deps.connectorStore.add(connector);
      deps.events.append(toActor(by), {
        type: 'connector.added',
        connector: id,
        before: recordHash(undefined),
        after: recordHash(connector),
      });
      return putInForceAfter(deps, id, () =>
        saveSharedSecrets(deps, by, connector, inlineSecrets(given.auth)),
      );
    });
  };
}

/** The connector that is asked for, if this admin may add it. */
export function readAddition(
  { allowStdioFromApi, clock }: Pick<AddConnectorDependencies, 'allowStdioFromApi' | 'clock'>,
  by: AdminCaller,
  { id: name, ...input }: ConnectorAddition,
): Connector {
  if (!isName(name)) throw invalidField('id', `must have ${NAME_RULE}`);
  requireStdioAllowed(by, input, allowStdioFromApi);
  if (input.allowPrivateNetwork === true) requireOwner(by, 'let a connector reach into a private network');
  const connector = parseConnector(name, input, { source: 'stored', now: clock.now() });
  requireMayRefer(by, inlineSecrets(connector.auth));
  return connector;
}
