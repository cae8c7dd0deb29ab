import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { HubError } from '../../kernel/index.js';

/** `CRSP`: tells our files from those of other programs. */
export const APPLICATION_ID = 0x43525350;
/** Stands in the header while a hub has the file open. Then the `-wal` file beside it is part of the data. */
export const IN_USE = 1;
export const CLOSED = 0;

const JOURNAL_SUFFIX = '-events';
const STORE_SUFFIXES = ['', '-wal', '-shm', JOURNAL_SUFFIX];

const MAGIC = 'SQLite format 3\0';
const HEADER_BYTES = 100;
const USER_VERSION_AT = 60;
const PAGE_SIZE_AT = 16;
const APPLICATION_ID_AT = 68;

/** The folder is created for its owner only; one that exists keeps its mode, since it may not be ours alone. */
export function prepareFolder(path: string): void {
  const folder = dirname(path);
  if (existsSync(folder)) return;
  const created = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (created !== undefined) chmodSync(created, 0o700);
  chmodSync(folder, 0o700);
}

/**
 * Makes a new file, complete with its header before it gets its name: an empty file under that name is never ours and
 * always a loss.
 */
export function createDatabaseFile(path: string): void {
  const unfinished = `${path}.new`;
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${unfinished}${suffix}`, { force: true });
  const file = openSync(unfinished, 'wx', 0o600);
  fchmodSync(file, 0o600);
  closeSync(file);
  const db = new DatabaseSync(unfinished);
  db.exec(`pragma application_id = ${APPLICATION_ID}`);
  db.close();
  renameSync(unfinished, path);
}

/**
 * Throws `config_invalid`, with what to do, if the file is not a whole store of ours. Only before any connection of this
 * process is open: closing a file drops the locks that SQLite holds on it.
 */
export function requireSoundFile(path: string): void {
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync(path, 'r');
  const bytes = readSync(file, header, 0, HEADER_BYTES, 0);
  closeSync(file);
  if (bytes === 0) throw damaged(path, 'is empty');
  if (bytes < HEADER_BYTES || header.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw damaged(path, 'is not a database or has lost its beginning');
  if (header.readUInt32BE(APPLICATION_ID_AT) !== APPLICATION_ID) {
    throw new HubError('config_invalid', `"${path}" is the database of another program: name another file`);
  }
  const isInUse = header.readUInt32BE(USER_VERSION_AT) === IN_USE;
  // One that was closed ends with a whole page; what SQLite reads beyond the end of a file it takes for zeros.
  if (!isInUse && statSync(path).size % (header.readUInt16BE(PAGE_SIZE_AT) || 1) !== 0)
    throw damaged(path, 'is cut off');
  if (isInUse && !existsSync(`${path}-wal`)) {
    throw new HubError(
      'config_invalid',
      `"${path}" was not closed and its "-wal" file is missing, so the newest records are lost: put that file back or restore a backup; to go on without them create an empty file "${path}-wal"`,
    );
  }
  const journal = journalPath(path);
  if (isInUse && !existsSync(journal)) {
    throw new HubError(
      'config_invalid',
      `"${path}" was not closed and its "-events" file is missing, so the newest events are lost: put that file back or restore a backup; to go on without them create an empty file "${journal}"`,
    );
  }
}

/** A log without its database would be dropped by SQLite without a word. */
export function requireNoOrphanLog(path: string): void {
  for (const suffix of ['-wal', JOURNAL_SUFFIX]) {
    const log = `${path}${suffix}`;
    if (!existsSync(log) || statSync(log).size === 0) continue;
    throw new HubError(
      'config_invalid',
      `"${path}" is missing but its "${suffix}" file is there: put the database back or restore a backup; to begin anew remove "${log}"`,
    );
  }
}

/** With everything beside it that belongs to it. */
export function moveStore(from: string, to: string): void {
  for (const suffix of STORE_SUFFIXES)
    if (existsSync(`${from}${suffix}`)) renameSync(`${from}${suffix}`, `${to}${suffix}`);
}

export function journalPath(databasePath: string): string {
  return `${databasePath}${JOURNAL_SUFFIX}`;
}

/** Before the store is marked as in use: from then on a journal that is not there is one that was lost. */
export function createJournal(databasePath: string): void {
  closeSync(openSync(journalPath(databasePath), 'a', 0o600));
}

/** After the mark is taken back. What could not become rows stays, and does so at the next start. */
export function removeEmptyJournal(databasePath: string): void {
  const path = journalPath(databasePath);
  if (existsSync(path) && statSync(path).size === 0) rmSync(path, { force: true });
}

/** SQLite removes the log when it has moved everything into the file. Where the mark could not be taken back, that would look like a loss. */
export function keepLogFile(path: string): void {
  if (existsSync(path) && !existsSync(`${path}-wal`)) closeSync(openSync(`${path}-wal`, 'wx', 0o600));
}

export function damaged(path: string, how: string, cause?: unknown): HubError {
  return new HubError(
    'config_invalid',
    `the store "${path}" ${how}: restore a backup, or move the file away to begin anew`,
    { cause },
  );
}

/** Files beside the database take its mode when SQLite creates them; this mends those that were there before. */
export function restrictFiles(path: string): void {
  for (const suffix of STORE_SUFFIXES)
    if (existsSync(`${path}${suffix}`)) chmodSync(`${path}${suffix}`, 0o600);
}
