import { expect, test } from 'vitest';
import { HubError } from '../kernel/index.js';
import { toStorageError } from './storage-errors.js';

const sqlite = (errcode: number) =>
  Object.assign(new Error('UNIQUE constraint failed: t.secret'), { code: 'ERR_SQLITE_ERROR', errcode });
const postgres = (code: string) =>
  Object.assign(new Error('duplicate key (digest)=(abc)'), { code, severity: 'ERROR' });

test.each<[string, unknown, string]>([
  ['SQLite: primary key', sqlite(1555), 'conflict'],
  ['SQLite: unique', sqlite(2067), 'conflict'],
  ['SQLite: foreign key', sqlite(787), 'not_found'],
  ['SQLite: not null', sqlite(1299), 'internal'],
  ['SQLite: syntax', sqlite(1), 'internal'],
  ['SQLite: busy', sqlite(5), 'storage_unavailable'],
  ['SQLite: busy snapshot', sqlite(517), 'storage_unavailable'],
  ['SQLite: full', sqlite(13), 'storage_unavailable'],
  ['SQLite: fsync', sqlite(1034), 'storage_unavailable'],
  ['SQLite: corrupt index', sqlite(779), 'storage_unavailable'],
  ['SQLite: read-only', sqlite(8), 'storage_unavailable'],
  [
    'SQLite: closed',
    Object.assign(new Error('not open'), { code: 'ERR_INVALID_STATE' }),
    'storage_unavailable',
  ],
  ['Postgres: unique', postgres('23505'), 'conflict'],
  ['Postgres: foreign key', postgres('23503'), 'not_found'],
  ['Postgres: not null', postgres('23502'), 'internal'],
  ['Postgres: syntax', postgres('42601'), 'internal'],
  ['Postgres: no such table', postgres('42P01'), 'storage_unavailable'],
  ['Postgres: no right', postgres('42501'), 'storage_unavailable'],
  ['Postgres: statement time-out', postgres('57014'), 'storage_unavailable'],
  ['Postgres: shutting down', postgres('57P01'), 'storage_unavailable'],
  ['Postgres: disk full', postgres('53100'), 'storage_unavailable'],
  ['Postgres: too many connections', postgres('53300'), 'storage_unavailable'],
  ['Postgres: read-only', postgres('25006'), 'storage_unavailable'],
  ['Postgres: deadlock', postgres('40P01'), 'storage_unavailable'],
  ['Postgres: password', postgres('28P01'), 'storage_unavailable'],
  ['the network', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 'storage_unavailable'],
  ['a connection that ended', new Error('Connection terminated unexpectedly'), 'storage_unavailable'],
])('%s', (_, error, code) => {
  const translated = toStorageError(error);
  expect(translated.code).toBe(code);
  expect(translated.cause).toBe(error);
  expect(translated.message).not.toMatch(/secret|abc/);
});

test('an error of ours stays', () => {
  const error = new HubError('precondition_failed', 'x');
  expect(toStorageError(error)).toBe(error);
});
