import type { ConnectorDirectory } from '../connectors/index.js';
import {
  ownerName,
  type AccountFlow,
  type Credential,
  type CredentialStore,
  type CredentialSummary,
  type TokenKeeper,
} from '../credentials/index.js';
import type { Actor, EventLog } from '../governance/index.js';

export interface RevokeAccountsDependencies {
  readonly connectors: Pick<ConnectorDirectory, 'find'>;
  readonly credentialStore: Pick<CredentialStore, 'find' | 'list'>;
  readonly flow: Pick<AccountFlow, 'revoke'>;
  readonly tokens: Pick<TokenKeeper, 'changed'>;
  readonly events: Pick<EventLog, 'append'>;
}

const REVOKE_MS = 5_000;

/** With their secrets, to be revoked after they were removed. */
export async function readAccounts(
  { credentialStore }: Pick<RevokeAccountsDependencies, 'credentialStore'>,
  wanted: (summary: CredentialSummary) => boolean,
): Promise<readonly Credential[]> {
  const summaries = (await credentialStore.list()).filter((summary) => wanted(summary));
  const found = summaries.map(({ connector, owner, account }) =>
    credentialStore.find(connector, owner, account),
  );
  return (await Promise.all(found)).filter((credential) => credential !== undefined);
}

/**
 * Tells authorization servers that the tokens are of no use any more. For accounts that are gone from the store: whether
 * a server hears of it or not, nobody here can use them. Best effort, within seconds.
 */
export async function revokeAccounts(
  deps: RevokeAccountsDependencies,
  actor: Actor,
  credentials: readonly Credential[],
): Promise<void> {
  const signal = AbortSignal.timeout(REVOKE_MS);
  const revoked = credentials.map(async (credential) => {
    const { connector: id, owner, account, grant } = credential;
    deps.tokens.changed(id, owner, account);
    if (grant === undefined) return;
    const connector = await deps.connectors.find(id).catch(() => undefined);
    const isRevoked =
      connector !== undefined && (await deps.flow.revoke(connector, credential, signal).catch(() => false));
    deps.events.append(actor, {
      type: 'account.disconnected',
      connector: id,
      owner: ownerName(owner),
      account,
      revoked: isRevoked,
    });
  });
  await Promise.all(revoked);
}
