import type { Transaction } from 'kysely';
import { HubError, type Clock } from '../kernel/index.js';
import type { Database } from './database.js';
import { MIGRATIONS } from './migrations/index.js';
import { COLUMN_TYPES, type Migration } from './migrations/migration.js';
import type { Tables } from './tables.js';

export interface MigrateOptions {
  readonly clock: Clock;
  readonly migrations?: readonly Migration[];
  /** Stops there, to take in the data of an older release before going on. */
  readonly upTo?: number;
}

/** The newest schema this release knows. */
export const SCHEMA_VERSION = Math.max(...MIGRATIONS.map(({ version }) => version));

/** 0 for an empty database. */
export async function readSchemaVersion(database: Database): Promise<number> {
  if (!(await database.hasTable('schema_migrations'))) return 0;
  return readVersion(database.db);
}

/** Throws `config_invalid` if a newer release has written the database. */
export function requireKnownSchema(found: number, known = SCHEMA_VERSION): void {
  if (found <= known) return;
  throw new HubError(
    'config_invalid',
    `the store has schema version ${found}, this release knows up to ${known}: run the release that wrote it, or restore a backup made by this one`,
  );
}

/**
 * Brings the schema forward. Each step is one transaction with its row in `schema_migrations`: whoever dies in the middle
 * leaves the version before. Hubs that start together do each step once.
 */
export async function migrate(
  database: Database,
  { clock, migrations = MIGRATIONS, upTo }: MigrateOptions,
): Promise<void> {
  const known = Math.max(...migrations.map(({ version }) => version));
  requireKnownSchema(await readSchemaVersion(database), known);
  const target = upTo ?? known;
  await database.db.transaction().execute(async (transaction) => {
    await database.lockSchema(transaction);
    await createVersionTable(database, transaction);
  });
  for (const migration of migrations) {
    if (migration.version > target) break;
    await database.db.transaction().execute(async (transaction) => {
      await database.lockSchema(transaction);
      if ((await readVersion(transaction)) >= migration.version) return;
      await migration.up(transaction, COLUMN_TYPES[database.kind]);
      const row = { version: migration.version, name: migration.name, applied_at: clock.now() };
      await transaction.insertInto('schema_migrations').values(row).execute();
    });
  }
}

async function readVersion(db: Database['db'] | Transaction<Tables>): Promise<number> {
  const row = await db
    .selectFrom('schema_migrations')
    .select(({ fn }) => fn.max('version').as('version'))
    .executeTakeFirst();
  return row?.version ?? 0;
}

async function createVersionTable(database: Database, { schema }: Transaction<Tables>): Promise<void> {
  const { integer, text, tableOptions } = COLUMN_TYPES[database.kind];
  await schema
    .createTable('schema_migrations')
    .ifNotExists()
    .addColumn('version', integer, (column) => column.primaryKey().notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('applied_at', integer, (column) => column.notNull())
    .modifyEnd(tableOptions)
    .execute();
}
