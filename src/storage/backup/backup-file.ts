import { statSync } from 'node:fs';
import { Kysely } from 'kysely';
import { DatabaseSync } from '@photostructure/sqlite';
import { HubError } from '../../kernel/index.js';
import type { Db } from '../database.js';
import { toEventRow } from '../event-rows.js';
import { allInBlocks } from '../sqlite/block-events.js';
import { SqliteConnection } from '../sqlite/sqlite-connection.js';
import { createSqliteDialect } from '../sqlite/sqlite-dialect.js';
import { APPLICATION_ID } from '../sqlite/sqlite-file.js';
import { isSqliteDamage } from '../storage-errors.js';
import type { Tables } from '../tables.js';
import type { BackupRow, BackupSource } from './backup-lines.js';
import { checkDigest } from './file-digest.js';
import { readTables } from './read-tables.js';

/** The copy of a SQLite store. It is read, never changed. */
export async function openBackupFile(path: string): Promise<BackupSource> {
  const digest = await checkDigest(path);
  if (digest === 'wrong') throw notWhole();
  const connection = new SqliteConnection(new DatabaseSync(path, { readOnly: true }));
  try {
    if (connection.pragma('application_id') !== APPLICATION_ID) throw notWhole();
    if (digest === 'absent') requireLastPage(path, connection);
    const check = digest === 'absent' ? 'integrity_check(1)' : 'quick_check(1)';
    if (connection.pragma(check) !== 'ok') throw notWhole();
    const db = new Kysely<Tables>({ dialect: createSqliteDialect(connection) });
    const newest = await db
      .selectFrom('schema_migrations')
      .select('version')
      .orderBy('version', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (newest === undefined) throw new HubError('config_invalid', 'the backup is empty');
    const schemaVersion = newest.version;
    return { schemaVersion, rows: () => rowsOf(db, schemaVersion), close: () => connection.close() };
  } catch (error) {
    connection.close();
    throw isSqliteDamage(error) ? notWhole(error) : error;
  }
}

/** Without a digest: an older copy, or one whose end is damaged. SQLite takes what is cut off for zeros. */
function requireLastPage(path: string, connection: SqliteConnection): void {
  const bytes = Number(connection.pragma('page_count')) * Number(connection.pragma('page_size'));
  if (statSync(path).size !== bytes) throw notWhole();
}

/** The first version that has blocks. */
const BLOCKS_SINCE = 6;

/** Events in blocks as rows, which every store has. */
async function* rowsOf(db: Db, schemaVersion: number): AsyncGenerator<BackupRow> {
  yield* readTables(db, schemaVersion);
  if (schemaVersion < BLOCKS_SINCE) return;
  for await (const record of allInBlocks(db)) yield { table: 'events', row: { ...toEventRow(record) } };
}

function notWhole(cause?: unknown): HubError {
  return new HubError(
    'config_invalid',
    'the backup is damaged or not a backup of this program; nothing was restored',
    {
      cause,
    },
  );
}
