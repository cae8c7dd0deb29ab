import { createWriteStream, existsSync } from 'node:fs';
import { chmod, open, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promises as streams } from 'node:stream';
import { backup as copyPages, DatabaseSync } from '@photostructure/sqlite';
import { HubError, type Clock } from '../../kernel/index.js';
import type { Database } from '../database.js';
import { readSchemaVersion } from '../migrate.js';
import { CLOSED } from '../sqlite/sqlite-file.js';
import type { SqliteStoreDatabase } from '../sqlite/open-sqlite.js';
import { readJournalLines } from '../sqlite/event-journal.js';
import { addJournaledEvents } from './journaled-events.js';
import { toStorageError } from '../storage-errors.js';
import { writeBackupLines } from './backup-lines.js';
import { appendDigest } from './file-digest.js';
import { readTables } from './read-tables.js';

/** In one step: the copy then sees one state, and writers need not wait for it. */
const ALL_PAGES = 2 ** 31 - 1;

/** The file gets its name when it is whole and on disk. What is there already is never overwritten. */
async function writeWhole(path: string, write: (unfinished: string) => Promise<void>): Promise<void> {
  if (existsSync(path))
    throw new HubError('conflict', 'there is a file of this name already', { details: { path } });
  const unfinished = `${path}.unfinished`;
  try {
    await rm(unfinished, { force: true });
    const file = await open(unfinished, 'wx', 0o600);
    await file.close();
    await chmod(unfinished, 0o600);
    await write(unfinished);
    const whole = await open(unfinished, 'r+');
    await whole.sync();
    await whole.close();
    await rename(unfinished, path);
  } catch (error) {
    for (const suffix of ['', '-wal', '-shm', '-journal'])
      await rm(`${unfinished}${suffix}`, { force: true });
    throw error instanceof HubError ? error : notWritten(error);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'there is no such folder',
  EACCES: 'the folder may not be written',
  EPERM: 'the folder may not be written',
  EROFS: 'the folder may not be written',
  ENOSPC: 'the disk is full',
};

function notWritten(error: unknown): HubError {
  const reason = error instanceof Error && 'code' in error ? REASONS[String(error.code)] : undefined;
  const message = 'the backup could not be written';
  return new HubError('storage_unavailable', reason === undefined ? message : `${message}: ${reason}`, {
    cause: error,
  });
}

/** What the store, its lock, a new store and one being restored are called, and what SQLite puts beside each. */
const OWN_SUFFIX = /^(\.lock|\.new|\.restoring)?(-wal|-shm|-journal|-events)?$/;

/** Also while there is no such file: the store and SQLite make, read and remove it as theirs. */
function requireForeignName(path: string, to: string): void {
  const [own, wanted] = [resolve(path), resolve(to)];
  if (!wanted.startsWith(own) || !OWN_SUFFIX.test(wanted.slice(own.length))) return;
  throw new HubError('conflict', 'a file of this name belongs to the store: give the backup another', {
    details: { path: to },
  });
}

/** A copy of the file, made beside the hub's own work. Secrets in it stay sealed. */
export async function backupSqlite({ path, db, connection }: SqliteStoreDatabase, to: string): Promise<void> {
  if (path !== ':memory:') requireForeignName(path, to);
  return writeWhole(to, async (unfinished) => {
    // Read first: whatever of it has become rows since is in the copy twice over, and nothing in between is missing.
    const journaled = path === ':memory:' ? [] : readJournalLines(path);
    if (path === ':memory:') {
      const copyMemory = connection.prepare('vacuum into ?');
      await db.connection().execute(async () => connection.attempt(() => copyMemory.run(unfinished)));
    } else {
      const source = new DatabaseSync(path, { readOnly: true });
      try {
        await copyPages(source, unfinished, { rate: ALL_PAGES });
      } catch (error) {
        throw toStorageError(error);
      } finally {
        source.close();
      }
    }
    const copy = new DatabaseSync(unfinished);
    copy.exec(`pragma journal_mode = delete; pragma user_version = ${CLOSED}`);
    const { page_size: pageSize } = copy.prepare('pragma page_size').get() as { readonly page_size: number };
    copy.close();
    if (journaled.length > 0) await addJournaledEvents(unfinished, path, journaled);
    await appendDigest(unfinished, pageSize);
  });
}

/** All rows as lines of JSON, of one moment. Secrets in them stay sealed. */
export function backupPostgres(database: Database, to: string, clock: Clock): Promise<void> {
  return writeWhole(to, async (unfinished) => {
    const out = createWriteStream(unfinished, { flags: 'r+' });
    const written = streams.finished(out);
    written.catch(() => {});
    try {
      const schemaVersion = await readSchemaVersion(database);
      const header = { schemaVersion, createdAt: clock.now() };
      await database.db
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute((transaction) => writeBackupLines(out, header, readTables(transaction, schemaVersion)));
      out.end();
    } catch (error) {
      out.destroy();
      throw error;
    }
    await written;
  });
}
