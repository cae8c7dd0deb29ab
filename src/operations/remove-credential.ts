import { isDeepStrictEqual } from 'node:util';
import { inlineSecrets, type ConnectorDirectory } from '../connectors/index.js';
import { ownerName, type CredentialOwner, type CredentialStore } from '../credentials/index.js';
import { HubError, type ConnectorId } from '../kernel/index.js';
import { requireVersion, toActor, type AdminCaller } from './admin.js';
import { credentialTurn } from './credential-turn.js';
import { recordHash } from './record-hash.js';
import { readAccounts, revokeAccounts, type RevokeAccountsDependencies } from './revoke-accounts.js';
import type { Turns } from './turns.js';

export interface RemoveCredentialDependencies extends RevokeAccountsDependencies {
  readonly connectors: ConnectorDirectory;
  readonly credentialStore: Pick<CredentialStore, 'find' | 'list' | 'remove'>;
  readonly turns: Turns;
}

export type RemoveCredential = (request: {
  readonly by: AdminCaller;
  readonly connector: ConnectorId;
  readonly owner: CredentialOwner;
  /** Undefined: all of the owner's. */
  readonly account?: string;
  readonly expectedVersion?: number;
}) => Promise<void>;

/** What came from a sign-in is revoked too. */
export function createRemoveCredential(deps: RemoveCredentialDependencies): RemoveCredential {
  return ({ by, connector, owner, account, expectedVersion }) =>
    credentialTurn(deps.turns, connector, owner, async () => {
      const { auth } = await deps.connectors.require(connector);
      const before = await deps.credentialStore.find(connector, owner, account);
      if (before === undefined && owner.kind === 'shared' && Object.keys(inlineSecrets(auth)).length > 0) {
        throw new HubError(
          'conflict',
          `the credential of connector ${connector} stands in its configuration: remove it there`,
        );
      }
      if (before === undefined) throw new HubError('not_found', 'there is no such credential');
      requireVersion(before.version, expectedVersion);
      const accounts = await readAccounts(
        deps,
        (found) =>
          found.connector === connector &&
          isDeepStrictEqual(found.owner, owner) &&
          (account === undefined || found.account === account),
      );
      await deps.credentialStore.remove(connector, owner, account);
      deps.events.append(toActor(by), {
        type: 'credential.removed',
        connector,
        owner: ownerName(owner),
        before: recordHash(before),
        after: recordHash(undefined),
      });
      await revokeAccounts(deps, toActor(by), accounts);
    });
}
