import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../kernel/index.js';
import { migrate } from '../migrate.js';
import { openSqlite, type SqliteStoreDatabase } from './open-sqlite.js';

const folder = mkdtempSync(join(tmpdir(), 'crosspoint-sqlite-'));
let opened: SqliteStoreDatabase | undefined;

afterEach(async () => {
  await opened?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(durability: 'process' | 'disk'): Promise<SqliteStoreDatabase> {
  return (opened = await openSqlite({
    path: join(folder, 'hub.db'),
    durability,
    access: 'hub',
    lockWaitMs: 0,
    maxBytes: undefined,
  }));
}

test.each([
  ['process', 1],
  ['disk', 2],
] as const)('durability %s', async (durability, synchronous) => {
  const database = await open(durability);
  database.beginUse();
  const { connection } = database;
  expect(connection.pragma('synchronous')).toBe(synchronous);
  expect(connection.pragma('journal_mode')).toBe('wal');
  expect(connection.pragma('foreign_keys')).toBe(1);
  expect(connection.pragma('busy_timeout')).toBe(5_000);
});

test('a filter of events reads nothing but the narrow index', async () => {
  const database = await open('process');
  await migrate(database, { clock: systemClock });
  const plan = database.connection
    .prepare(
      'explain query plan select sequence from events where sequence > ? and sequence < ? and agent = ? and outcome = ? order by sequence desc limit 10',
    )
    .all(0, 100, 'a', 'ok') as readonly { readonly detail: string }[];
  expect(plan.map(({ detail }) => detail)).toEqual([expect.stringContaining('COVERING INDEX events_scan')]);
});
