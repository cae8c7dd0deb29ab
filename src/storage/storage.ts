import type { AdminStore, AgentStore } from '../agents/index.js';
import type { SnapshotStore } from '../catalog/index.js';
import type { ConnectorStore } from '../connectors/index.js';
import type { CredentialStore, OAuthClientStore } from '../credentials/index.js';
import type { EventStore, PolicyStore } from '../governance/index.js';
import type { Clock, Logger, TaskStore, TicketStore } from '../kernel/index.js';
import type { RotationOptions, RotationReport } from './rotate-secrets.js';
import type { MasterKey, MasterKeys } from './sealer.js';
import type { EventPrimary } from './sqlite/event-primary.js';
import type { DataKeyStore } from './stores/data-key-store.js';
import type { InstanceStore } from './stores/instance-store.js';
import type { SettingsStore } from './stores/settings-store.js';

export interface StorageOptions {
  /** `sqlite:PATH`, `sqlite::memory:` or `postgres://…`. */
  readonly url: string;
  readonly masterKeys: MasterKeys;
  /** SQLite: whether acknowledged writes survive the end of the process or also of the power. Postgres decides by its own settings. */
  readonly durability?: 'process' | 'disk';
  /** `read` works beside a running hub: it takes no lock and brings nothing forward. For looking and for backups. */
  readonly access?: 'hub' | 'read';
  /** SQLite: the process that has opened the store as the hub. This one is then a worker of it, and writes events through it. */
  readonly primary?: EventPrimary;
  /** SQLite: how long to wait for another hub to leave the file. */
  readonly lockWaitMs?: number;
  /** SQLite: beyond this size the store counts as full. */
  readonly maxBytes?: number;
  /** Postgres: connections at most. */
  readonly poolSize?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

export interface Storage extends AsyncDisposable {
  readonly kind: 'sqlite' | 'postgres';
  readonly schemaVersion: number;
  readonly connectors: ConnectorStore;
  readonly agents: AgentStore;
  readonly admins: AdminStore;
  readonly credentials: CredentialStore;
  readonly oauthClients: OAuthClientStore;
  readonly snapshots: SnapshotStore;
  readonly policies: PolicyStore;
  readonly events: EventStore;
  /** SQLite in a file: what workers are served with. */
  readonly eventPrimary: EventPrimary | undefined;
  readonly settings: SettingsStore;
  readonly tickets: TicketStore;
  readonly tasks: TaskStore;
  readonly instances: InstanceStore;
  readonly dataKeys: DataKeyStore;
  /** Throws `storage_unavailable` if the store cannot be used. */
  check(): Promise<void>;
  /** Bytes taken by the data. */
  usedBytes(): Promise<number>;
  /** Seals with this key from now on. It must be kept where the next start finds it before this is called. */
  changeMasterKey(key: MasterKey): Promise<void>;
  /** Seals with the active key whatever is sealed with a retired one. */
  rotateSecrets(options?: RotationOptions): Promise<RotationReport>;
  /** Of one moment, while the hub serves. Throws `conflict` if the file exists. Secrets stay sealed. */
  backup(path: string): Promise<void>;
  /** Waits for a backup that is under way. May be called twice. */
  close(): Promise<void>;
}
