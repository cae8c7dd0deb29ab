import type { ConnectorDirectory } from '../connectors/index.js';
import {
  ownerName,
  type CredentialOwner,
  type CredentialStore,
  type TokenKeeper,
} from '../credentials/index.js';
import type { EventLog } from '../governance/index.js';
import { HubError, type ConnectorId } from '../kernel/index.js';
import { toActor, type AdminCaller } from './admin.js';
import { credentialTurn } from './credential-turn.js';
import type { Turns } from './turns.js';

export interface ChooseAccountDependencies {
  readonly connectors: Pick<ConnectorDirectory, 'require'>;
  readonly credentialStore: Pick<CredentialStore, 'choose'>;
  readonly tokens: Pick<TokenKeeper, 'changed'>;
  readonly events: Pick<EventLog, 'append'>;
  readonly turns: Turns;
}

export type ChooseAccount = (request: {
  readonly by: AdminCaller;
  readonly connector: ConnectorId;
  readonly owner: CredentialOwner;
  readonly account: string;
}) => Promise<void>;

/** From now on calls are made as this account of the owner. */
export function createChooseAccount(deps: ChooseAccountDependencies): ChooseAccount {
  return ({ by, connector, owner, account }) =>
    credentialTurn(deps.turns, connector, owner, async () => {
      await deps.connectors.require(connector);
      if (!(await deps.credentialStore.choose(connector, owner, account)))
        throw new HubError('not_found', 'there is no such account');
      deps.tokens.changed(connector, owner);
      deps.events.append(toActor(by), {
        type: 'account.chosen',
        connector,
        owner: ownerName(owner),
        account,
      });
    });
}
