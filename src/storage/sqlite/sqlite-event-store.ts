import { setImmediate as turn } from 'node:timers/promises';
import type { StatementSyncInstance } from '@photostructure/sqlite';
import { HubError } from '../../kernel/index.js';
import type { EventQuery, EventRecord, EventStore } from '../../governance/index.js';
import type { Db } from '../database.js';
import {
  ANCHOR_KEY,
  continues,
  readAnchor,
  readSettled,
  SETTLED_KEY,
  writeAnchor,
  writeMark,
  type ChainPoint,
} from '../event-marks.js';
import { EVENT_COLUMNS, fromEventRow, toEventRow, whereEvents } from '../event-rows.js';
import type { EventRow } from '../tables.js';
import { OpenCalls } from './open-calls.js';
import type { SqliteConnection } from './sqlite-connection.js';

/** Rows one statement writes; binding many at once costs less than many statements. */
const ROWS_PER_STATEMENT = 16;
/** Rows of the narrow index a filter reads before others get their turn: a few milliseconds. */
const ROWS_PER_TURN = 50_000;
const ROWS_PER_TRIM = 2_000;
/** How many rows may pass before the settled mark is moved. */
const ROWS_PER_MARK = 1_000;

export async function openSqliteEventStore(db: Db, connection: SqliteConnection): Promise<EventStore> {
  const store = new SqliteEventStore(db, connection);
  await store.resume();
  return store;
}

class SqliteEventStore implements EventStore {
  readonly #db: Db;
  readonly #connection: SqliteConnection;
  readonly #inserts = new Map<number, StatementSyncInstance>();
  readonly #openCalls = new OpenCalls();
  #saveMark: StatementSyncInstance | undefined;
  #head: ChainPoint = { sequence: 0, hash: '' };
  /** The last row when the settled mark was last moved. */
  #marked = 0;
  #waiting: Promise<void> | undefined;

  constructor(db: Db, connection: SqliteConnection) {
    this.#db = db;
    this.#connection = connection;
  }

  async resume(): Promise<void> {
    this.#head = (await this.last()) ?? (await this.anchor());
    this.#marked = this.#head.sequence;
    for (const [callId, sequence] of await this.#findUnfinished()) this.#openCalls.restore(callId, sequence);
  }

  append(records: readonly EventRecord[]): void | Promise<void> {
    // A transaction of another store may be between two of its statements; ours must not become part of it.
    if (this.#waiting === undefined && !this.#connection.inTransaction) return this.#write(records);
    const written = (this.#waiting ?? Promise.resolve()).then(() =>
      this.#db.connection().execute(async () => this.#write(records)),
    );
    const settled = written.then(
      () => {},
      () => {},
    );
    this.#waiting = settled;
    void settled.then(() => {
      if (this.#waiting === settled) this.#waiting = undefined;
    });
    return written;
  }

  #write(records: readonly EventRecord[]): void {
    const last = records.at(-1);
    if (last === undefined) return;
    if (!continues(this.#head, records))
      throw new HubError('conflict', 'the event log does not end where these events continue it');
    this.#connection.atomically(() => {
      for (let from = 0; from < records.length; from += ROWS_PER_STATEMENT)
        this.#insert(records.slice(from, from + ROWS_PER_STATEMENT));
      if (last.sequence - this.#marked > ROWS_PER_MARK) this.#moveMark();
    });
    this.#head = { sequence: last.sequence, hash: last.hash };
    for (const record of records) this.#openCalls.add(record);
  }

  #insert(records: readonly EventRecord[]): void {
    let statement = this.#inserts.get(records.length);
    if (statement === undefined) {
      const row = `(${EVENT_COLUMNS.map(() => '?').join(',')})`;
      statement = this.#connection.prepare(
        `insert into events (${EVENT_COLUMNS.join(',')}) values ${records.map(() => row).join(',')}`,
      );
      this.#inserts.set(records.length, statement);
    }
    const insert = statement;
    const values: unknown[] = [];
    for (const record of records) {
      const { sequence, at, type, agent, connector, outcome, call_id, tool, payload, previous_hash, hash } =
        toEventRow(record);
      values.push(sequence, at, type, agent, connector, outcome, call_id, tool, payload, previous_hash, hash);
    }
    this.#connection.attempt(() => insert.run(...values));
  }

  /** With the rows before this group, whose intents and outcomes are known to be kept. */
  #moveMark(): void {
    const settled = this.#openCalls.settledUpTo(this.#head.sequence);
    const save = (this.#saveMark ??= this.#connection.prepare(
      'insert into settings (key, value) values (?, ?) on conflict (key) do update set value = excluded.value',
    ));
    this.#connection.attempt(() => save.run(SETTLED_KEY, String(settled)));
    this.#marked = this.#head.sequence;
  }

  async query({ limit, order, ...filter }: EventQuery): Promise<readonly EventRecord[]> {
    const last = (await this.last())?.sequence ?? 0;
    const { sequence: trimmed } = await this.anchor();
    let low = Math.max(trimmed, filter.after ?? 0);
    let high = Math.min(last, (filter.before ?? Infinity) - 1);
    const found: EventRow[] = [];
    while (low < high && found.length < limit) {
      const from = order === 'newest' ? Math.max(low, high - ROWS_PER_TURN) : low;
      const to = order === 'newest' ? high : Math.min(high, low + ROWS_PER_TURN);
      found.push(
        ...(await this.#slice({ ...filter, after: from, before: to + 1 }, order, limit - found.length)),
      );
      if (order === 'newest') high = from;
      else low = to;
      if (low < high && found.length < limit) await turn();
    }
    return found.map(fromEventRow);
  }

  /** The inner query reads nothing but the narrow index; rows are fetched only for what it found. */
  #slice(
    filter: Omit<EventQuery, 'limit' | 'order'>,
    order: EventQuery['order'],
    limit: number,
  ): Promise<EventRow[]> {
    const direction = order === 'newest' ? 'desc' : 'asc';
    const sequences = whereEvents(this.#db.selectFrom('events').select('sequence'), filter)
      .orderBy('sequence', direction)
      .limit(limit);
    return this.#db
      .selectFrom('events')
      .selectAll()
      .where('sequence', 'in', sequences)
      .orderBy('sequence', direction)
      .execute();
  }

  async last(): Promise<EventRecord | undefined> {
    const row = await this.#db
      .selectFrom('events')
      .selectAll()
      .orderBy('sequence', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row === undefined ? undefined : fromEventRow(row);
  }

  async unfinishedCalls(): Promise<readonly EventRecord[]> {
    const records: EventRecord[] = [];
    for (const sequence of (await this.#findUnfinished()).values()) {
      const row = await this.#db
        .selectFrom('events')
        .selectAll()
        .where('sequence', '=', sequence)
        .executeTakeFirst();
      if (row !== undefined) records.push(fromEventRow(row));
    }
    return records;
  }

  async #findUnfinished(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#db
      .selectFrom('events')
      .select(['sequence', 'type', 'call_id'])
      .where('sequence', '>', await readSettled(this.#db))
      .where('type', 'in', ['call.intended', 'call.finished'])
      .orderBy('sequence')
      .execute();
    const open = new Map<string, number>();
    for (const { sequence, type, call_id } of rows) {
      if (call_id === null) continue;
      if (type === 'call.intended') open.set(call_id, sequence);
      else open.delete(call_id);
    }
    return open;
  }

  async trim(sequence: number): Promise<void> {
    let { sequence: trimmed } = await this.anchor();
    for (;;) {
      const upTo = Math.min(sequence, this.#head.sequence, trimmed + ROWS_PER_TRIM);
      if (upTo <= trimmed) return;
      await this.#trimUpTo(upTo);
      this.#openCalls.forgetUpTo(upTo);
      trimmed = upTo;
      await turn();
    }
  }

  /** Rows and anchor change together, so that the chain holds at every moment. */
  #trimUpTo(sequence: number): Promise<void> {
    return this.#db.transaction().execute(async (transaction) => {
      const rows = transaction
        .selectFrom('events')
        .select(['sequence', 'hash'])
        .where('sequence', '<=', sequence);
      const row = await rows.orderBy('sequence', 'desc').limit(1).executeTakeFirst();
      if (row === undefined) return;
      await writeMark(transaction, ANCHOR_KEY, writeAnchor(row));
      await transaction.deleteFrom('events').where('sequence', '<=', sequence).execute();
    });
  }

  anchor(): Promise<ChainPoint> {
    return readAnchor(this.#db);
  }

  async count(): Promise<number> {
    const last = (await this.last())?.sequence;
    return last === undefined ? 0 : last - (await this.anchor()).sequence;
  }
}
