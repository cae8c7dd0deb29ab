import { existsSync, statSync } from 'node:fs';
import { Kysely, sql } from 'kysely';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { HubError } from '../../kernel/index.js';
import type { Database } from '../database.js';
import { isSqliteDamage, isUnfitPlace, toStorageError } from '../storage-errors.js';
import type { Tables } from '../tables.js';
import { Checkpoints, PAGES_WITHOUT_HELP } from './checkpoints.js';
import { acquireHubLock } from './hub-lock.js';
import { SqliteConnection } from './sqlite-connection.js';
import { createSqliteDialect } from './sqlite-dialect.js';
import {
  CLOSED,
  createDatabaseFile,
  createJournal,
  damaged,
  IN_USE,
  keepLogFile,
  prepareFolder,
  removeEmptyJournal,
  requireNoOrphanLog,
  requireSoundFile,
  restrictFiles,
} from './sqlite-file.js';

export interface SqliteOptions {
  /** A path, or `:memory:`. */
  readonly path: string;
  /** `process`: what was acknowledged survives the end of the process. `disk`: also the end of the power. */
  readonly durability: 'process' | 'disk';
  /** `read` takes no lock and changes nothing, `worker` takes none: the file is another process's, who knows. */
  readonly access: 'hub' | 'read' | 'worker';
  readonly lockWaitMs: number;
  /** Beyond this the store counts as full. */
  readonly maxBytes: number | undefined;
}

export interface SqliteStoreDatabase extends Database {
  readonly kind: 'sqlite';
  readonly path: string;
  readonly connection: SqliteConnection;
  /** Before the first write: until here the file is as it was found. */
  beginUse(): void;
  /** Tells that about so many bytes were written. */
  wrote(bytes: number): void;
}

const BUSY_TIMEOUT_MS = 5_000;
/** Reading every page of a larger file would make the start noticeably slower. */
const MAX_CHECKED_BYTES = 64 * 1024 * 1024;

export async function openSqlite(options: SqliteOptions): Promise<SqliteStoreDatabase> {
  const { path, access } = options;
  if (path === ':memory:') return connect(options, undefined);
  if (access !== 'hub') {
    if (!existsSync(path)) throw new HubError('config_invalid', `there is no store at "${path}"`);
    return connect(options, undefined);
  }
  let lock: { release(): void } | undefined;
  try {
    prepareFolder(path);
    lock = await acquireHubLock(`${path}.lock`, options.lockWaitMs);
    if (existsSync(path)) requireSoundFile(path);
    else {
      requireNoOrphanLog(path);
      createDatabaseFile(path);
    }
    restrictFiles(path);
    return connect(options, lock);
  } catch (error) {
    lock?.release();
    throw isUnfitPlace(error)
      ? new HubError(
          'config_invalid',
          `no store can be kept at "${path}": check the path and who may write there`,
          { cause: error },
        )
      : toStorageError(error);
  }
}

function connect(options: SqliteOptions, lock: { release(): void } | undefined): SqliteStoreDatabase {
  const { path } = options;
  const connection = openConnection(options);
  const db = new Kysely<Tables>({ dialect: createSqliteDialect(connection) });
  const checkpoints = new Checkpoints(path, (error) => connection.noteFailure(error));
  let closing: Promise<void> | undefined;

  return {
    kind: 'sqlite',
    path,
    db,
    connection,
    async hasTable(name) {
      const found = await sql`select 1 from sqlite_master where type = 'table' and name = ${name}`.execute(
        db,
      );
      return found.rows.length > 0;
    },
    // `begin immediate` has taken the only write lock there is: a transaction is alone from its beginning.
    async lockSchema() {},
    async lock() {},
    now: sql<number>`cast((julianday('now') - 2440587.5) * 86400000 as integer)`,
    async usedBytes() {
      const pages = Number(connection.pragma('page_count')) - Number(connection.pragma('freelist_count'));
      return pages * Number(connection.pragma('page_size'));
    },
    beginUse() {
      if (!ownsFile(options)) return;
      createJournal(path);
      if (connection.pragma('journal_mode = wal') !== 'wal') throw noWriteAheadLog(path);
      connection.exec(`pragma user_version = ${IN_USE}`);
      // Into the file itself, past the log, since it is the log's absence that the mark will betray.
      connection.exec('pragma wal_checkpoint(passive)');
      connection.exec(`pragma wal_autocheckpoint = ${PAGES_WITHOUT_HELP}`);
    },
    wrote(bytes) {
      if (ownsFile(options)) checkpoints.wrote(bytes);
    },
    close: () =>
      // Its turn comes when no transaction is open.
      (closing ??= db.connection().execute(async () => {
        await checkpoints.close();
        closeConnection(options, connection);
        lock?.release();
      })),
  };
}

function ownsFile({ path, access }: SqliteOptions): boolean {
  return path !== ':memory:' && access === 'hub';
}

/**
 * Leaves one whole file. The driver keeps a connection half open until its statements are collected, and would tidy up
 * the log only then, by name, perhaps under a successor: so the log is given up here.
 */
function closeConnection(options: SqliteOptions, connection: SqliteConnection): void {
  let whole = !ownsFile(options);
  try {
    if (!whole) {
      if (connection.pragma('user_version') !== CLOSED) connection.exec(`pragma user_version = ${CLOSED}`);
      leaveLog(connection);
    }
    whole = true;
  } catch {
    // The file stays marked as in use, and what is beside it stays part of the data.
  }
  connection.close();
  if (!whole) keepLogFile(options.path);
  else if (ownsFile(options)) removeEmptyJournal(options.path);
}

/** Someone who reads the store just now keeps its log alive; then everything in it is at least in the file too. */
function leaveLog(connection: SqliteConnection): void {
  if (connection.pragma('journal_mode') !== 'wal') return;
  try {
    if (connection.pragma('journal_mode = delete') === 'delete') return;
  } catch {
    // Locked by the reader.
  }
  connection.exec('pragma wal_checkpoint(truncate)');
}

function noWriteAheadLog(path: string): HubError {
  return new HubError(
    'config_invalid',
    `the file system of "${path}" does not support SQLite's write-ahead log: use a local disk`,
  );
}

function openConnection(options: SqliteOptions): SqliteConnection {
  const { path, durability, access, maxBytes } = options;
  let opened: DatabaseSyncInstance | undefined;
  try {
    const db = (opened = new DatabaseSync(path, {
      readOnly: access === 'read',
      timeout: BUSY_TIMEOUT_MS,
      enableForeignKeyConstraints: true,
    }));
    const connection = new SqliteConnection(db);
    db.exec(`pragma synchronous = ${durability === 'disk' ? 'full' : 'normal'}`);
    // Deleted rows are overwritten where that costs no extra write.
    db.exec('pragma secure_delete = fast; pragma trusted_schema = off; pragma cell_size_check = on');
    if (path !== ':memory:' && access !== 'worker' && statSync(path).size <= MAX_CHECKED_BYTES) {
      const verdict = connection.pragma('quick_check(1)');
      if (verdict !== 'ok') throw damaged(path, 'is damaged');
    }
    if (maxBytes !== undefined)
      db.exec(
        `pragma max_page_count = ${Math.max(1, Math.floor(maxBytes / Number(connection.pragma('page_size'))))}`,
      );
    return connection;
  } catch (error) {
    opened?.close();
    if (ownsFile(options)) keepLogFile(path);
    throw isSqliteDamage(error) ? damaged(path, 'is damaged', error) : toStorageError(error);
  }
}
