import { DatabaseSync } from '@photostructure/sqlite';
import { Kysely } from 'kysely';
import { toJournaledRecords } from '../sqlite/event-journal.js';
import { SqliteConnection } from '../sqlite/sqlite-connection.js';
import { createSqliteDialect } from '../sqlite/sqlite-dialect.js';
import { openSqliteEventStore } from '../sqlite/sqlite-event-store.js';
import type { Tables } from '../tables.js';

/** Completes a copy of a database with the events that only its journal has. */
export async function addJournaledEvents(
  copyPath: string,
  databasePath: string,
  lines: readonly string[],
): Promise<void> {
  const connection = new SqliteConnection(new DatabaseSync(copyPath));
  try {
    const db = new Kysely<Tables>({ dialect: createSqliteDialect(connection) });
    const events = await openSqliteEventStore(db, connection);
    const head = (await events.last()) ?? (await events.anchor());
    await events.append(toJournaledRecords(lines, databasePath, head));
  } finally {
    connection.close();
  }
}
