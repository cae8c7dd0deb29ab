import {
  DEFAULT_ACCOUNT,
  ownerName,
  refersToKeychain,
  type Credential,
  type CredentialOwner,
  type CredentialStore,
} from '../credentials/index.js';
import type { EventLog } from '../governance/index.js';
import type { Clock, ConnectorId, Secret } from '../kernel/index.js';
import { requireOwner, toActor, type Admin, type AdminCaller } from './admin.js';
import { recordHash } from './record-hash.js';

export interface KeepCredentialDependencies {
  readonly credentialStore: Pick<CredentialStore, 'save'>;
  readonly events: Pick<EventLog, 'append'>;
  readonly clock: Clock;
}

/** What the operator keeps in the keychain goes wherever a reference to it stands, so writing one is as much as reading it. */
export function requireMayRefer(by: Admin, given: Readonly<Record<string, Secret>>): void {
  if (refersToKeychain(given)) requireOwner(by, "refer to the keychain of the hub's machine");
}

/** Stores values that an admin gave, in the place of what was there, and records it. */
export async function keepCredential(
  { credentialStore, events, clock }: KeepCredentialDependencies,
  {
    by,
    connector,
    owner,
    before,
    values,
    expectedVersion,
  }: {
    readonly by: AdminCaller;
    readonly connector: ConnectorId;
    readonly owner: CredentialOwner;
    readonly before: Credential | undefined;
    readonly values: Readonly<Record<string, Secret>>;
    readonly expectedVersion?: number | undefined;
  },
): Promise<Credential> {
  const credential: Credential = {
    connector,
    owner,
    account: before?.account ?? DEFAULT_ACCOUNT,
    isDefault: true,
    values,
    grant: undefined,
    version: (before?.version ?? 0) + 1,
    updatedAt: clock.now(),
  };
  await credentialStore.save(credential, expectedVersion);
  events.append(toActor(by), {
    type: 'credential.saved',
    connector,
    owner: ownerName(owner),
    before: recordHash(before),
    after: recordHash(credential),
  });
  return credential;
}
