import { isOAuth, type Connector } from '../connectors/index.js';
import type { CredentialStore } from '../credentials/index.js';
import type { Secret } from '../kernel/index.js';
import type { AdminCaller } from './admin.js';
import { keepCredential, type KeepCredentialDependencies } from './keep-credential.js';

/** Only the operator's configuration keeps secrets beside the address; those of the admin API go to the vault. */
export function withoutSecrets(connector: Connector): Connector {
  const { auth } = connector;
  switch (auth.type) {
    case 'bearer':
      return { ...connector, auth: { ...auth, token: undefined } };
    case 'api_key':
      return { ...connector, auth: { ...auth, value: undefined } };
    case 'header':
      return { ...connector, auth: { ...auth, values: {} } };
    case 'none':
    case 'oauth':
    case 'client_credentials':
      return connector;
  }
}

export interface SharedSecretDependencies extends KeepCredentialDependencies {
  readonly credentialStore: Pick<CredentialStore, 'find' | 'save' | 'removeAllFor'>;
}

const SHARED = { kind: 'shared' } as const;

/** Keeps what was given as the shared credential; what was there under other names stays if the connector still has them. */
export async function saveSharedSecrets(
  deps: SharedSecretDependencies,
  by: AdminCaller,
  { id, auth }: Connector,
  secrets: Readonly<Record<string, Secret>>,
): Promise<void> {
  // What comes from a sign-in is never given beside an address, and nothing of it goes over to another kind.
  if (isOAuth(auth)) return;
  const before = await deps.credentialStore.find(id, SHARED);
  const kept = Object.entries(before?.grant === undefined ? (before?.values ?? {}) : {}).filter(
    ([name]) => auth.type !== 'header' || auth.headers.includes(name),
  );
  const values = { ...Object.fromEntries(kept), ...secrets };
  const isSame =
    Object.keys(secrets).length === 0 && kept.length === Object.keys(before?.values ?? {}).length;
  if (isSame) return;
  await keepCredential(deps, { by, connector: id, owner: SHARED, before, values });
}
