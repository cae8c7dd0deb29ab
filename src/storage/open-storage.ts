import { HubError, silentLogger, systemClock, type Clock } from '../kernel/index.js';
import type { EventStore } from '../governance/index.js';
import { backupPostgres, backupSqlite } from './backup/backup-storage.js';
import type { Database } from './database.js';
import { recordMasterKey, requireMasterKeys } from './master-key-check.js';
import { migrate, readSchemaVersion, requireKnownSchema, SCHEMA_VERSION } from './migrate.js';
import { rotateSecrets } from './rotate-secrets.js';
import { createSealer, type Sealer } from './sealer.js';
import { createEventPrimary, createWorkerEventStore, type EventPrimary } from './sqlite/event-primary.js';
import { openSqlite, type SqliteStoreDatabase } from './sqlite/open-sqlite.js';
import { openSqliteEventStore, type SqliteEventStore } from './sqlite/sqlite-event-store.js';
import { parseStorageUrl } from './storage-url.js';
import type { Storage, StorageOptions } from './storage.js';
import { createAdminStore } from './stores/admin-store.js';
import { createAgentStore } from './stores/agent-store.js';
import { createConnectorStore } from './stores/connector-store.js';
import { createCredentialStore } from './stores/credential-store.js';
import { createDataKeyStore } from './stores/data-key-store.js';
import { createInstanceStore } from './stores/instance-store.js';
import { createOAuthClientStore } from './stores/oauth-client-store.js';
import { createPolicyStore } from './stores/policy-store.js';
import { createSettingsStore } from './stores/settings-store.js';
import { createSnapshotStore } from './stores/snapshot-store.js';
import { createTaskStore } from './stores/task-store.js';
import { createTicketStore } from './stores/ticket-store.js';

const LOCK_WAIT_MS = 1_000;
const POOL_SIZE = 10;

/**
 * Opens the store and brings its schema forward. `config_invalid`: an operator must act (wrong master key, another hub,
 * damaged file, newer schema), and nothing was changed. `storage_unavailable`: it may work later.
 */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const { clock = systemClock, access = 'hub', primary } = options;
  const sealer = createSealer(options.masterKeys);
  const { database, backend } = await openDatabase(options);
  try {
    const found = await readSchemaVersion(database);
    requireKnownSchema(found);
    await requireMasterKeys(database, sealer);
    if (access === 'hub' && primary === undefined) {
      backend.beginUse();
      await migrate(database, { clock });
      await recordMasterKey(database.db, sealer);
    } else if (found < SCHEMA_VERSION) {
      throw new HubError(
        'config_invalid',
        'the store is of an older release: start the hub once to bring it forward',
      );
    }
    return createStorage(database, backend, await backend.openEvents(), sealer, clock);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** What differs between the databases beyond their dialect. */
interface Backend {
  /** From here on the store is written. */
  beginUse(): void;
  openEvents(): Promise<EventStore>;
  eventPrimary(): EventPrimary | undefined;
  /** Before the database is closed. */
  end(): Promise<void>;
  check(): Promise<void>;
  backup(path: string): Promise<void>;
}

async function openDatabase(
  options: StorageOptions,
): Promise<{ readonly database: Database; readonly backend: Backend }> {
  const {
    url,
    durability = 'process',
    primary,
    access = primary === undefined ? 'hub' : 'worker',
    lockWaitMs = LOCK_WAIT_MS,
    maxBytes,
    poolSize = POOL_SIZE,
    logger = silentLogger,
    clock = systemClock,
  } = options;
  const target = parseStorageUrl(url);
  if (target.kind === 'sqlite') {
    const database = await openSqlite({ path: target.path, durability, access, lockWaitMs, maxBytes });
    return { database, backend: sqliteBackend(database, { durability, access, primary }) };
  }
  const { openPostgres } = await import('./postgres/open-postgres.js');
  const database = await openPostgres({ url, logger, poolSize });
  return { database, backend: postgresBackend(database, clock) };
}

interface SqliteUse {
  readonly durability: 'process' | 'disk';
  readonly access: 'hub' | 'read' | 'worker';
  readonly primary: EventPrimary | undefined;
}

function sqliteBackend(database: SqliteStoreDatabase, { durability, access, primary }: SqliteUse): Backend {
  const { path } = database;
  let events: SqliteEventStore | undefined;
  return {
    beginUse: () => database.beginUse(),
    async openEvents() {
      events = await openSqliteEventStore(
        database.db,
        database.connection,
        path === ':memory:'
          ? undefined
          : { databasePath: path, durability, access, wrote: (bytes) => database.wrote(bytes) },
      );
      return primary === undefined ? events : createWorkerEventStore(events, primary);
    },
    eventPrimary: () =>
      events === undefined || path === ':memory:' ? undefined : createEventPrimary(events),
    end: async () => events?.close(),
    async check() {
      database.connection.pragma('schema_version');
    },
    async backup(to) {
      await (primary ?? events)?.settle();
      await backupSqlite(database, to);
    },
  };
}

function postgresBackend(database: Database, clock: Clock): Backend {
  return {
    beginUse() {},
    async openEvents() {
      const { createPostgresEventStore } = await import('./postgres/postgres-event-store.js');
      return createPostgresEventStore(database.db);
    },
    eventPrimary: () => undefined,
    async end() {},
    async check() {
      await database.db.selectFrom('schema_migrations').select('version').limit(1).execute();
    },
    backup: (path) => backupPostgres(database, path, clock),
  };
}

function createStorage(
  database: Database,
  backend: Backend,
  events: EventStore,
  sealer: Sealer,
  clock: Clock,
): Storage {
  const { db, kind } = database;
  const backups = new Set<Promise<void>>();
  let closing: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    await Promise.allSettled(backups);
    try {
      await backend.end();
    } finally {
      await database.close();
    }
  };
  const close = () => (closing ??= end());
  return {
    kind,
    schemaVersion: SCHEMA_VERSION,
    connectors: createConnectorStore(db, sealer),
    agents: createAgentStore(db),
    admins: createAdminStore(db),
    credentials: createCredentialStore(database, sealer),
    oauthClients: createOAuthClientStore(db, sealer),
    snapshots: createSnapshotStore(db),
    policies: createPolicyStore(db),
    events,
    eventPrimary: backend.eventPrimary(),
    settings: createSettingsStore(db),
    tickets: createTicketStore(db, sealer, clock),
    tasks: createTaskStore(db, clock),
    instances: createInstanceStore(database),
    dataKeys: createDataKeyStore(db, sealer, clock),
    check: () => backend.check(),
    usedBytes: () => database.usedBytes(),
    async changeMasterKey(key) {
      sealer.activate(key);
      await recordMasterKey(db, sealer);
    },
    rotateSecrets: (options) => rotateSecrets(db, sealer, options),
    backup(path) {
      if (closing !== undefined)
        return Promise.reject(new HubError('shutting_down', 'the store is being closed'));
      const running = backend.backup(path).finally(() => backups.delete(running));
      backups.add(running);
      return running;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
