import { closeSync, existsSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { sql, type Transaction } from 'kysely';
import { HubError, silentLogger, systemClock, type Clock, type Logger } from '../../kernel/index.js';
import type { Database } from '../database.js';
import { requireKeysFor } from '../master-key-check.js';
import { migrate, readSchemaVersion, requireKnownSchema } from '../migrate.js';
import { createSealer, type MasterKeys, type Sealer } from '../sealer.js';
import { acquireHubLock } from '../sqlite/hub-lock.js';
import { openSqlite } from '../sqlite/open-sqlite.js';
import { moveStore, prepareFolder, requireNoOrphanLog } from '../sqlite/sqlite-file.js';
import { parseStorageUrl } from '../storage-url.js';
import { keptTables, UNKEPT_TABLES, type Tables } from '../tables.js';
import { LINES_BEGIN, notOurs, openBackupLines, type BackupRow, type BackupSource } from './backup-lines.js';
import { openBackupFile } from './backup-file.js';
import { readTables } from './read-tables.js';

export interface RestoreOptions {
  /** Where to: a SQLite file that does not exist, or an empty Postgres schema. */
  readonly url: string;
  /** A backup of either kind, made of either database. */
  readonly from: string;
  /** The keys its secrets are sealed with. */
  readonly masterKeys: MasterKeys;
  /** What a SQLite file that is there already is called from now on. Default: it is refused. */
  readonly moveTo?: string | undefined;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

export interface Restored {
  readonly rows: number;
  /** Where the store that was there before is now. */
  readonly movedTo: string | undefined;
}

const BATCH = 200;
/** What SQLite and the lock of a hub leave beside a file that is being filled. */
const BESIDE = ['-journal', '.lock', '.lock-journal'];

/** All of it or nothing. Data of an older release are brought forward. */
export async function restoreStorage({
  url,
  from,
  masterKeys,
  moveTo,
  clock = systemClock,
  logger = silentLogger,
}: RestoreOptions): Promise<Restored> {
  const sealer = createSealer(masterKeys);
  const target = parseStorageUrl(url);
  const source = await openSource(from);
  try {
    requireKnownSchema(source.schemaVersion);
    if (target.kind === 'sqlite')
      return await restoreFile(target.path, moveTo, (path) => fillFile(path, source, sealer, clock));
    const { openPostgres } = await import('../postgres/open-postgres.js');
    const database = await openPostgres({ url, logger, poolSize: 2 });
    try {
      await requireEmpty(database, source.schemaVersion);
      return { rows: await fill(database, source, sealer, clock), movedTo: undefined };
    } finally {
      await database.close();
    }
  } finally {
    source.close();
  }
}

async function restoreFile(
  path: string,
  moveTo: string | undefined,
  fillAt: (path: string) => Promise<number>,
): Promise<Restored> {
  prepareFolder(path);
  // A hub may run although its file was moved away, and under one that runs nothing is moved.
  const lock = await acquireHubLock(`${path}.lock`, 0);
  try {
    const movedTo = existsSync(path) ? moveTo : undefined;
    if (movedTo === undefined) requireNothingAt(path);
    const unfinished = `${path}.restoring`;
    const rows = await fillAt(unfinished);
    // What is there keeps its name until all of the backup is there too.
    if (movedTo !== undefined) moveStore(path, movedTo);
    renameSync(unfinished, path);
    return { rows, movedTo };
  } finally {
    lock.release();
  }
}

function requireNothingAt(path: string): void {
  if (existsSync(path)) {
    throw new HubError('conflict', 'there is a store of this name already: move it away first', {
      details: { path },
    });
  }
  requireNoOrphanLog(path);
}

/** Leaves nothing behind where it fails, and beside the file nothing where it does not. */
async function fillFile(path: string, source: BackupSource, sealer: Sealer, clock: Clock): Promise<number> {
  const clear = (...suffixes: readonly string[]) => {
    for (const suffix of suffixes) rmSync(`${path}${suffix}`, { force: true });
  };
  clear('', ...BESIDE);
  const database = await openSqlite({
    path,
    durability: 'disk',
    access: 'hub',
    lockWaitMs: 0,
    maxBytes: undefined,
  });
  try {
    const rows = await fill(database, source, sealer, clock);
    await database.close();
    clear(...BESIDE);
    return rows;
  } catch (error) {
    await database.close();
    clear('', ...BESIDE);
    throw error;
  }
}

async function openSource(path: string): Promise<BackupSource> {
  if (!existsSync(path))
    throw new HubError('not_found', 'there is no backup of this name', { details: { path } });
  const start = Buffer.alloc(16);
  const file = openSync(path, 'r');
  readSync(file, start, 0, start.length, 0);
  closeSync(file);
  const text = start.toString('latin1');
  if (text.startsWith('SQLite format 3')) return openBackupFile(path);
  // Anything else may be one line that is larger than memory.
  if (!text.startsWith(LINES_BEGIN)) throw notOurs();
  return openBackupLines(path);
}

/** An attempt that failed before may have left tables, but no rows; of a newer backup, they are not what this one needs. */
async function requireEmpty(database: Database, schemaVersion: number): Promise<void> {
  const version = await readSchemaVersion(database);
  if (version === 0) return;
  requireKnownSchema(version);
  for await (const _ of readTables(database.db, version))
    throw new HubError('conflict', 'the database is not empty: restore into an empty one');
  if (version > schemaVersion) await dropEmptyTables(database, version);
}

function dropEmptyTables({ db }: Database, version: number): Promise<void> {
  const names = [
    ...UNKEPT_TABLES,
    ...keptTables(version)
      .map(({ name }) => name)
      .toReversed(),
  ];
  return db.transaction().execute(async ({ schema }) => {
    for (const name of names) await schema.dropTable(name).ifExists().execute();
  });
}

async function fill(database: Database, source: BackupSource, sealer: Sealer, clock: Clock): Promise<number> {
  await migrate(database, { clock, upTo: source.schemaVersion });
  const rows = await database.db
    .transaction()
    .execute((transaction) => insertAll(transaction, source, sealer));
  await migrate(database, { clock });
  return rows;
}

async function insertAll(
  transaction: Transaction<Tables>,
  source: BackupSource,
  sealer: Sealer,
): Promise<number> {
  let count = 0;
  let batch: BackupRow[] = [];
  for await (const row of source.rows()) {
    if (batch.length === BATCH || (batch[0] !== undefined && batch[0].table !== row.table)) {
      await insertBatch(transaction, batch, sealer);
      batch = [];
    }
    batch.push(row);
    count++;
  }
  await insertBatch(transaction, batch, sealer);
  return count;
}

async function insertBatch(
  transaction: Transaction<Tables>,
  batch: readonly BackupRow[],
  sealer: Sealer,
): Promise<void> {
  const [first] = batch;
  if (first === undefined) return;
  if (first.table === 'settings')
    requireKeysFor(
      batch.map(({ row }) => ({ key: String(row['key']), value: String(row['value']) })),
      sealer,
    );
  const columns = Object.keys(first.row);
  const names = sql.join(columns.map((column) => sql.id(column)));
  const values = sql.join(
    batch.map(({ row }) => sql`(${sql.join(columns.map((column) => requireScalar(row[column])))})`),
  );
  await sql`insert into ${sql.table(first.table)} (${names}) values ${values}`.execute(transaction);
}

function requireScalar(value: unknown): string | number | null {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  throw new HubError('config_invalid', 'the backup was altered; nothing was restored');
}
