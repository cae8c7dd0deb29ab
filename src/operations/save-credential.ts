import type { AgentDirectory } from '../agents/index.js';
import { isOAuth, type Connector, type ConnectorAuth, type ConnectorDirectory } from '../connectors/index.js';
import type { CredentialInput } from '../contract/index.js';
import type { Credential, CredentialOwner, CredentialStore } from '../credentials/index.js';
import { HubError, invalidField, Secret, type ConnectorId } from '../kernel/index.js';
import { requireVersion, toActor, type AdminCaller } from './admin.js';
import { credentialTurn } from './credential-turn.js';
import { keepCredential, requireMayRefer, type KeepCredentialDependencies } from './keep-credential.js';
import { syncIfUnknown, type SyncAttempt, type SyncIfUnknownDependencies } from './sync-if-unknown.js';
import type { Turns } from './turns.js';

export interface SaveCredentialDependencies extends SyncIfUnknownDependencies, KeepCredentialDependencies {
  readonly connectors: ConnectorDirectory;
  readonly agents: Pick<AgentDirectory, 'require'>;
  readonly credentialStore: CredentialStore;
  readonly turns: Turns;
}

export interface SavedCredential {
  readonly credential: Credential;
  readonly created: boolean;
  /** Set where this was the first credential of an agent and nothing was known of the connector. */
  readonly sync: SyncAttempt | undefined;
}

export type SaveCredential = (request: {
  readonly by: AdminCaller;
  readonly connector: ConnectorId;
  readonly owner: CredentialOwner;
  readonly input: CredentialInput;
  readonly expectedVersion?: number;
}) => Promise<SavedCredential>;

export function createSaveCredential(deps: SaveCredentialDependencies): SaveCredential {
  return async function saveCredential({ by, connector: id, owner, input, expectedVersion }) {
    const connector = await deps.connectors.require(id);
    requireOwnerFits(connector, owner);
    const given = toValues(connector, input);
    requireMayRefer(by, given);
    const saved = await credentialTurn(deps.turns, id, owner, async () => {
      // Either may have been removed while we waited, and nothing may be kept for what does not exist.
      await deps.connectors.require(id);
      if (owner.kind === 'agent') await deps.agents.require(owner.agent);
      const before = await deps.credentialStore.find(id, owner);
      requireVersion(before?.version ?? 0, expectedVersion);
      // Tokens of a sign-in are no part of a value that is stored by hand.
      const values = { ...(before?.grant === undefined && before?.values), ...given };
      if (Object.keys(given).length === 0 && before === undefined)
        throw invalidField(namesOf(connector.auth)[0] ?? 'values', 'is missing');
      const credential = await keepCredential(deps, {
        by,
        connector: id,
        owner,
        before,
        values,
        expectedVersion,
      });
      return { credential, created: before === undefined };
    });
    const sync =
      owner.kind === 'agent' ? await syncIfUnknown(deps, toActor(by), connector, owner) : undefined;
    return { ...saved, sync };
  };
}

function requireOwnerFits({ id, auth, credentialMode }: Connector, owner: CredentialOwner): void {
  if (auth.type === 'none') throw new HubError('conflict', `connector ${id} needs no credential`);
  if (isOAuth(auth)) {
    throw new HubError(
      'not_supported',
      `credentials of type ${auth.type} come from an account connection, not from a stored value`,
    );
  }
  // A shared one is of use in every mode: it may be what tools are listed with.
  if (owner.kind === 'agent' && credentialMode !== 'per_agent') {
    throw new HubError(
      'conflict',
      `connector ${id} uses one shared credential: store it as "shared", or set credentialMode to per_agent`,
    );
  }
}

/** What was given, under the names this connector's credential has. */
function toValues(
  { auth }: Connector,
  { token, value, headers, values }: CredentialInput,
): Record<string, Secret> {
  const single = { ...(token !== undefined && { token }), ...(value !== undefined && { value }) };
  const given = Object.entries({ ...single, ...headers, ...values }).map(([field, text]) => {
    const name = nameOf(auth, field);
    if (name === undefined)
      throw invalidField(field, `does not belong to this credential: give ${namesOf(auth).join(' and ')}`);
    return [name, text] as const;
  });
  return Object.fromEntries(
    given.filter(([, text]) => text !== '').map(([name, text]) => [name, new Secret(text)]),
  );
}

/** Whether it is called a token or a value makes no difference where there is only one; letters of headers may be of either case. */
function nameOf(auth: ConnectorAuth, field: string): string | undefined {
  if (auth.type === 'header')
    return auth.headers.find((header) => header.toLowerCase() === field.toLowerCase());
  return field === 'token' || field === 'value' ? namesOf(auth)[0] : undefined;
}

function namesOf(auth: ConnectorAuth): readonly string[] {
  if (auth.type === 'header') return auth.headers;
  return auth.type === 'bearer' ? ['token'] : ['value'];
}
