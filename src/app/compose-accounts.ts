import type { AgentDirectory } from '../agents/index.js';
import type { LiveCatalog } from '../catalog/index.js';
import type { ConnectorDirectory } from '../connectors/index.js';
import {
  createAccessProvider,
  createAccountFlow,
  createKeychainReferences,
  TokenKeeper,
} from '../credentials/index.js';
import { CLIENT_METADATA_PATH } from '../edge/index.js';
import type { EventLog } from '../governance/index.js';
import type { Clock, Coordination } from '../kernel/index.js';
import { createConnectionOperations, createTurns, type SyncConnector } from '../operations/index.js';
import type { Storage } from '../storage/index.js';
import { createAuthorizationFetch, type Upstreams } from '../upstreams/index.js';
import { createKeychain } from './keychain.js';
import { whileUnlocked, type KeyWatch } from './master-key/key-watch.js';
import type { PublicUrl } from './public-url.js';
import type { Replicas } from './replicas.js';
import { createSharedTurns } from './shared-turns.js';

export interface TokenParts {
  readonly storage: Storage;
  readonly coordination: Pick<Coordination, 'locks' | 'available'>;
  readonly replicas: Pick<Replicas, 'feed'>;
  readonly events: Pick<EventLog, 'append'>;
  readonly upstreams: Pick<Upstreams, 'drop'>;
  readonly publicUrl: PublicUrl;
  readonly clock: Clock;
  readonly keyWatch: Pick<KeyWatch, 'isLocked'>;
}

/** What lets the hub into upstreams, and how tokens come and stay good. */
export function composeTokens(parts: TokenParts) {
  const { storage, coordination, replicas, events, upstreams, publicUrl, clock, keyWatch } = parts;
  const flow = createAccountFlow({
    fetchFor: createAuthorizationFetch(),
    clients: storage.oauthClients,
    clock,
    clientMetadataUrl: () => publicUrl.of(CLIENT_METADATA_PATH),
  });
  const tokens = new TokenKeeper({
    credentials: storage.credentials,
    flow,
    locks: coordination.locks,
    feed: replicas.feed,
    clock,
    onEvent: (event) => events.append({ kind: 'hub' }, event),
    onReplaced: (connector) => void upstreams.drop(connector).catch(() => {}),
  });
  const entries = createKeychain('crosspoint');
  const keychain = createKeychainReferences((name) => entries.find(name), clock);
  const provider = createAccessProvider({ credentials: storage.credentials, tokens, keychain });
  const credentials = whileUnlocked(provider, () => keyWatch.isLocked);
  return { flow, tokens, credentials };
}

export interface ConnectionParts
  extends TokenParts, Pick<ReturnType<typeof composeTokens>, 'flow' | 'tokens'> {
  readonly connectors: ConnectorDirectory;
  readonly agents: AgentDirectory;
  readonly catalog: LiveCatalog;
  readonly events: EventLog;
  readonly syncConnector: SyncConnector;
}

/** How people connect accounts. Their turns are those of everybody who changes agents and connectors. */
export function composeConnections(parts: ConnectionParts) {
  const { storage, publicUrl } = parts;
  const ownTurns = createTurns();
  const turns = createSharedTurns(ownTurns, parts.coordination);
  const connections = createConnectionOperations({
    ...parts,
    credentialStore: storage.credentials,
    tickets: storage.tickets,
    urlOf: (path) => publicUrl.of(path),
    turns,
  });
  return { turns, ownTurns, connections };
}
