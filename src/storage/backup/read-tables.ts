import { sql } from 'kysely';
import type { Db } from '../database.js';
import { keptTables, type KeptTable } from '../tables.js';
import type { BackupRow } from './backup-lines.js';

const PAGE = 500;

/** Every row of every kept table. One consistent state, if the caller gives a transaction that sees one. */
export async function* readTables(db: Db, schemaVersion: number): AsyncGenerator<BackupRow> {
  for (const { name, key } of keptTables(schemaVersion)) {
    let last: Readonly<Record<string, unknown>> | undefined;
    do {
      const rows = await readPage(db, name, key, last);
      for (const row of rows) yield { table: name, row };
      last = rows.length === PAGE ? rows.at(-1) : undefined;
    } while (last !== undefined);
  }
}

/** After the last row of the page before, so that a page costs the same however far it is. */
async function readPage(
  db: Db,
  table: KeptTable,
  key: readonly string[],
  last: Readonly<Record<string, unknown>> | undefined,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const after =
    last === undefined ? sql`` : sql`where (${columns}) > (${sql.join(key.map((column) => last[column]))})`;
  const page = await sql<
    Readonly<Record<string, unknown>>
  >`select * from ${sql.table(table)} ${after} order by ${columns} limit ${PAGE}`.execute(db);
  return page.rows;
}
