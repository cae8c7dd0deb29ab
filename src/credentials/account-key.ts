import type { Connector } from '../connectors/index.js';
import { DEFAULT_ACCOUNT, type Credential, type CredentialOwner } from './credential.js';
import { ownerName } from './sign-in-required.js';

/** What a token was obtained with: as long as this stands in the store, nobody renewed it. */
export function sourceOf(credential: Credential | undefined): string | undefined {
  return (credential?.values['refresh_token'] ?? credential?.values['access_token'])?.reveal();
}

/** Names an account of an owner, for locks and what is kept in memory. */
export function accountKey(
  { id }: Pick<Connector, 'id'>,
  owner: CredentialOwner,
  account: string = DEFAULT_ACCOUNT,
): string {
  return JSON.stringify([id, owner.kind, ownerName(owner), account]);
}
