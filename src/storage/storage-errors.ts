import { HubError } from '../kernel/index.js';

/**
 * What a failure of either database means to the hub. Decided by codes only. Messages are ours: those of the databases
 * may quote stored values.
 */
export function toStorageError(error: unknown): HubError {
  if (error instanceof HubError) return error;
  const sqlite = sqliteCodeOf(error);
  const meaning = sqlite === undefined ? meaningOfPostgres(error) : meaningOfSqlite(sqlite);
  return new HubError(meaning, MESSAGES[meaning], { cause: error });
}

type Meaning = 'conflict' | 'not_found' | 'storage_unavailable' | 'internal';

const MESSAGES: Readonly<Record<Meaning, string>> = {
  conflict: 'a record with this identity exists already',
  not_found: 'the record it belongs to does not exist',
  storage_unavailable: 'the store cannot be used at the moment',
  internal: 'the store did not accept a statement',
};

const SQLITE_UNIQUE = new Set([1555, 2067, 2579]); // primary key, unique index, row id
const SQLITE_FOREIGN_KEY = 787;
// busy, locked, read-only, interrupted, I/O error, corrupt, full, cannot open, protocol, authorisation, not a database
const SQLITE_UNAVAILABLE = new Set([5, 6, 8, 9, 10, 11, 13, 14, 15, 23, 26]);

/** The extended result code of SQLite, if the error is SQLite's. */
export function sqliteCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_SQLITE_ERROR') return undefined;
  return 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 1;
}

function meaningOfSqlite(code: number): Meaning {
  if (SQLITE_UNIQUE.has(code)) return 'conflict';
  if (code === SQLITE_FOREIGN_KEY) return 'not_found';
  return SQLITE_UNAVAILABLE.has(code & 0xff) ? 'storage_unavailable' : 'internal';
}

const SQLITE_CORRUPT = 11;
const SQLITE_NOT_A_DATABASE = 26;
const SQLITE_FSYNC_FAILED = new Set([1034, 1290]); // of the file, of its folder

/** After these nothing that the file says, or says it has kept, can be trusted until it is opened anew. */
export function endsSqliteTrust(error: unknown): boolean {
  return SQLITE_FSYNC_FAILED.has(sqliteCodeOf(error) ?? 0) || isSqliteDamage(error);
}

/** Also of an error that was translated already. */
export function isSqliteDamage(error: unknown): boolean {
  const code = sqliteCodeOf(error instanceof HubError ? error.cause : error);
  return code !== undefined && ((code & 0xff) === SQLITE_CORRUPT || code === SQLITE_NOT_A_DATABASE);
}

const POSTGRES_UNIQUE = '23505';
const POSTGRES_FOREIGN_KEY = '23503';
/** Connection, authorisation, catalogue, transaction, resource, operator and system errors: not the statement's fault. */
const POSTGRES_UNAVAILABLE = new Set(['08', '25', '28', '3D', '40', '53', '55', '57', '58', 'XX']);
/** No right to the table, no such table: the database is not the one we prepared. */
const POSTGRES_WRONG_SCHEMA = new Set(['42501', '42P01']);

/** The state Postgres gave; without one the error came from the connection, not from the server. */
export function postgresStateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('severity' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

function meaningOfPostgres(error: unknown): Meaning {
  const state = postgresStateOf(error);
  if (state === undefined) return 'storage_unavailable';
  if (state === POSTGRES_UNIQUE) return 'conflict';
  if (state === POSTGRES_FOREIGN_KEY) return 'not_found';
  return POSTGRES_UNAVAILABLE.has(state.slice(0, 2)) || POSTGRES_WRONG_SCHEMA.has(state)
    ? 'storage_unavailable'
    : 'internal';
}

const UNFIT = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG']);
const SQLITE_CANNOT_OPEN = 14;

/** A place where no file can be made, whoever tries again. */
export function isUnfitPlace(error: unknown): boolean {
  const origin = error instanceof HubError ? error.cause : error;
  if (((sqliteCodeOf(origin) ?? 0) & 0xff) === SQLITE_CANNOT_OPEN) return true;
  return (
    origin instanceof Error && 'code' in origin && typeof origin.code === 'string' && UNFIT.has(origin.code)
  );
}
