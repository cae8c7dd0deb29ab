import { isDeepStrictEqual } from 'node:util';
import { inlineSecrets, namedServers, type Connector } from '../connectors/index.js';
import type { ConnectorPatch } from '../contract/index.js';
import type { ConnectorId } from '../kernel/index.js';
import { requireOwner, type Admin, type AdminCaller } from './admin.js';
import { saveSharedSecrets, withoutSecrets, type SharedSecretDependencies } from './connector-secrets.js';
import {
  connectorTurn,
  putInForceAfter,
  replaceConnector,
  requireStoredConnector,
  type ConnectorWriteDependencies,
} from './connector-writes.js';
import { requireMayRefer } from './keep-credential.js';
import { lastWins } from './last-wins.js';
import { mergeConnector } from './merge-connector.js';
import { requireStdioAllowed } from './stdio-permission.js';

export interface ChangeConnectorDependencies extends ConnectorWriteDependencies, SharedSecretDependencies {
  readonly allowStdioFromApi: boolean;
}

export type ChangeConnector = (request: {
  readonly by: AdminCaller;
  readonly id: ConnectorId;
  readonly patch: ConnectorPatch;
  readonly expectedVersion?: number;
}) => Promise<Connector>;

export function createChangeConnector(deps: ChangeConnectorDependencies): ChangeConnector {
  return ({ by, id, patch, expectedVersion }) =>
    deps.turns(
      connectorTurn(id),
      lastWins(expectedVersion, async () => {
        const before = await requireStoredConnector(deps, id, expectedVersion);
        requireStdioAllowed(by, patch, deps.allowStdioFromApi);
        const given = mergeConnector(before, patch, deps.clock.now());
        requireReach(by, before, given);
        requireMayRefer(by, inlineSecrets(given.auth));
        const after = withoutSecrets(given);
        await replaceConnector(deps, by, before, after);
        return putInForceAfter(deps, id, async () => {
          // Another kind of authentication has no use for the credentials of before.
          if (after.auth.type !== before.auth.type) await deps.credentialStore.removeAllFor(id);
          await saveSharedSecrets(deps, by, after, inlineSecrets(given.auth));
        });
      }),
    );
}

/** Stored secrets go wherever a connector points, so pointing it elsewhere is as much as reading them. */
function requireReach(by: Admin, before: Connector, after: Connector): void {
  if (after.allowPrivateNetwork && !before.allowPrivateNetwork)
    requireOwner(by, 'let a connector reach into a private network');
  // A client's secret and its tokens go to these.
  if (
    before.auth.type === after.auth.type &&
    !isDeepStrictEqual(namedServers(after.auth), namedServers(before.auth))
  )
    requireOwner(by, 'name other authorization servers for a connector');
  if (originOf(after) === originOf(before)) return;
  if (before.auth.type !== 'none' || before.allowPrivateNetwork)
    requireOwner(by, 'point a connector that has credentials or private access elsewhere');
}

function originOf({ endpoint }: Connector): string {
  return endpoint.transport === 'stdio' ? '' : new URL(endpoint.url).origin;
}
