import type { StatementSyncInstance } from '@photostructure/sqlite';
import type { EventRecord } from '../../governance/index.js';
import { EVENT_COLUMNS, toEventRow } from '../event-rows.js';
import type { SqliteConnection } from './sqlite-connection.js';

/** Rows one statement writes; binding many at once costs less than many statements. */
const ROWS_PER_STATEMENT = 16;

/** The statements that make rows of events, prepared once for each number of rows. */
export class EventInserts {
  readonly #connection: SqliteConnection;
  readonly #statements = new Map<number, StatementSyncInstance>();

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  insert(records: readonly EventRecord[]): void {
    for (let from = 0; from < records.length; from += ROWS_PER_STATEMENT)
      this.#run(records.slice(from, from + ROWS_PER_STATEMENT));
  }

  #run(records: readonly EventRecord[]): void {
    const statement = this.#statementFor(records.length);
    const values: unknown[] = [];
    for (const record of records) {
      const { sequence, at, type, agent, connector, outcome, call_id, tool, payload, previous_hash, hash } =
        toEventRow(record);
      values.push(sequence, at, type, agent, connector, outcome, call_id, tool, payload, previous_hash, hash);
    }
    this.#connection.attempt(() => statement.run(...values));
  }

  #statementFor(rows: number): StatementSyncInstance {
    const known = this.#statements.get(rows);
    if (known !== undefined) return known;
    const row = `(${EVENT_COLUMNS.map(() => '?').join(',')})`;
    const values = Array.from({ length: rows }, () => row).join(',');
    const statement = this.#connection.prepare(
      `insert into events (${EVENT_COLUMNS.join(',')}) values ${values}`,
    );
    this.#statements.set(rows, statement);
    return statement;
  }
}
