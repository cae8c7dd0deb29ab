import type { AgentDirectory } from '../agents/index.js';
import type { LiveCatalog } from '../catalog/index.js';
import type { Connector, ConnectorAuth, ConnectorDirectory } from '../connectors/index.js';
import type { CredentialInput } from '../contract/index.js';
import {
  DEFAULT_ACCOUNT,
  type Credential,
  type CredentialOwner,
  type CredentialStore,
} from '../credentials/index.js';
import type { EventLog } from '../governance/index.js';
import { HubError, Secret, type Clock, type ConnectorId } from '../kernel/index.js';
import { invalid, requireVersion, toActor, type AdminCaller } from './admin.js';
import { agentTurn } from './agent-writes.js';
import { connectorTurn } from './connector-writes.js';
import { recordHash } from './record-hash.js';
import type { SyncConnector, SyncReport } from './sync-connector.js';
import type { Turns } from './turns.js';

export interface SaveCredentialDependencies {
  readonly connectors: ConnectorDirectory;
  readonly agents: Pick<AgentDirectory, 'require'>;
  readonly credentialStore: CredentialStore;
  readonly catalog: Pick<LiveCatalog, 'snapshotOf'>;
  readonly syncConnector: SyncConnector;
  readonly events: Pick<EventLog, 'append'>;
  readonly turns: Turns;
  readonly clock: Clock;
  /** How long saving waits for the sync it may cause; the sync itself goes on. */
  readonly syncWaitMs?: number;
}

export interface SavedCredential {
  readonly credential: Credential;
  readonly created: boolean;
  /** Set where this was the first credential of an agent and nothing was known of the connector. */
  readonly sync: SyncAttempt | undefined;
}

export type SyncAttempt =
  | { readonly state: 'done'; readonly report: SyncReport }
  | { readonly state: 'running' }
  | { readonly state: 'failed'; readonly error: unknown };

export type SaveCredential = (request: {
  readonly by: AdminCaller;
  readonly connector: ConnectorId;
  readonly owner: CredentialOwner;
  readonly input: CredentialInput;
  readonly expectedVersion?: number;
}) => Promise<SavedCredential>;

const SYNC_WAIT_MS = 5_000;

export function createSaveCredential(deps: SaveCredentialDependencies): SaveCredential {
  return async function saveCredential({ by, connector: id, owner, input, expectedVersion }) {
    const connector = await deps.connectors.require(id);
    requireOwnerFits(connector, owner);
    const given = toValues(connector, input);
    const saved = await inTurn(deps.turns, id, owner, async () => {
      // Either may have been removed while we waited, and nothing may be kept for what does not exist.
      await deps.connectors.require(id);
      if (owner.kind === 'agent') await deps.agents.require(owner.agent);
      const before = await deps.credentialStore.find(id, owner);
      requireVersion(before?.version ?? 0, expectedVersion);
      const values = { ...before?.values, ...given };
      if (Object.keys(given).length === 0 && before === undefined)
        throw invalid(namesOf(connector.auth)[0] ?? 'values', 'is missing');
      const credential: Credential = {
        connector: id,
        owner,
        account: before?.account ?? DEFAULT_ACCOUNT,
        isDefault: true,
        values,
        grant: undefined,
        version: (before?.version ?? 0) + 1,
        updatedAt: deps.clock.now(),
      };
      await deps.credentialStore.save(credential, expectedVersion);
      deps.events.append(toActor(by), {
        type: 'credential.saved',
        connector: id,
        owner: owner.kind === 'shared' ? 'shared' : owner.agent,
        before: recordHash(before),
        after: recordHash(credential),
      });
      return { credential, created: before === undefined };
    });
    return { ...saved, sync: await syncIfUnknown(deps, by, connector, owner) };
  };
}

function inTurn<Result>(
  turns: Turns,
  connector: ConnectorId,
  owner: CredentialOwner,
  work: () => Promise<Result>,
): Promise<Result> {
  const afterConnector = () => turns(connectorTurn(connector), work);
  return owner.kind === 'shared' ? afterConnector() : turns(agentTurn(owner.agent), afterConnector);
}

function requireOwnerFits({ id, auth, credentialMode }: Connector, owner: CredentialOwner): void {
  if (auth.type === 'none') throw new HubError('conflict', `connector ${id} needs no credential`);
  if (auth.type === 'oauth' || auth.type === 'client_credentials') {
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
      throw invalid(field, `does not belong to this credential: give ${namesOf(auth).join(' and ')}`);
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

/** The first account of an agent may be the first chance to see what there is. However it ends, the credential is kept. */
async function syncIfUnknown(
  deps: SaveCredentialDependencies,
  by: AdminCaller,
  connector: Connector,
  owner: CredentialOwner,
): Promise<SyncAttempt | undefined> {
  if (owner.kind === 'shared' || !connector.enabled || deps.catalog.snapshotOf(connector.id) !== undefined)
    return undefined;
  const sync = deps.syncConnector({ connector: connector.id, actor: toActor(by), agent: owner.agent }).then(
    (report): SyncAttempt => ({ state: 'done', report }),
    (error: unknown): SyncAttempt => ({ state: 'failed', error }),
  );
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<SyncAttempt>((resolve) => {
    timer = setTimeout(() => resolve({ state: 'running' }), deps.syncWaitMs ?? SYNC_WAIT_MS);
  });
  return Promise.race([sync, patience]).finally(() => clearTimeout(timer));
}
