import { setImmediate as turn } from 'node:timers/promises';
import type { StatementSyncInstance } from '@photostructure/sqlite';
import { HubError } from '../../kernel/index.js';
import {
  chainEvents,
  type EventQuery,
  type EventRecord,
  type EventStore,
  type NewEvent,
} from '../../governance/index.js';
import type { Db } from '../database.js';
import { continues, readAnchor, readSettled, SETTLED_KEY, type ChainPoint } from '../event-marks.js';
import { fromEventRow } from '../event-rows.js';
import { toStorageError } from '../storage-errors.js';
import type { EventRow } from '../tables.js';
import { EventInserts } from './event-inserts.js';
import { sliceOf } from './event-slice.js';
import { EventJournal, readJournalLines, toJournaledRecords } from './event-journal.js';
import { OpenCalls } from './open-calls.js';
import { findPending } from './pending-events.js';
import type { SqliteConnection } from './sqlite-connection.js';
import { journalPath } from './sqlite-file.js';
import { trimEvents } from './trim-events.js';

/** Rows of the narrow index a filter reads before others get their turn: a few milliseconds. */
const ROWS_PER_TURN = 50_000;
const ROWS_PER_TRIM = 2_000;
/** How many rows may pass before the settled mark is moved. */
const ROWS_PER_MARK = 1_000;
/** So many events, or so many milliseconds, until those in the journal become rows together. */
const EVENTS_PER_GROUP = 256;
const GROUP_MS = 50;
/** Where there is time, so few become rows before others get their turn: whoever calls just then waits for them. */
const EVENTS_PER_SLICE = 64;
const RETRY_MS = 1_000;

interface JournalPlace {
  readonly databasePath: string;
  readonly durability: 'process' | 'disk';
  readonly access: 'hub' | 'read' | 'worker';
}

/** Without a journal each group of events is a transaction of its own. */
export async function openSqliteEventStore(
  db: Db,
  connection: SqliteConnection,
  journal?: JournalPlace,
): Promise<SqliteEventStore> {
  const store = new SqliteEventStore(db, connection);
  await store.resume();
  if (journal !== undefined && journal.access !== 'hub') store.watchJournal(journal.databasePath);
  else if (journal !== undefined) await store.keepJournal(journal);
  return store;
}

/**
 * Events go to the journal, which makes them durable, and become rows in groups behind. Whoever reads sees them all, since
 * reading waits for the rows; where these cannot be written, for want of space, nothing more is taken.
 */
export class SqliteEventStore implements EventStore {
  readonly #db: Db;
  readonly #connection: SqliteConnection;
  readonly #rows: EventInserts;
  readonly #openCalls = new OpenCalls();
  #saveMark: StatementSyncInstance | undefined;
  #head: ChainPoint = { sequence: 0, hash: '' };
  /** The last row when the settled mark was last moved. */
  #marked = 0;
  #waiting: Promise<void> | undefined;
  #journal: EventJournal | undefined;
  /** The database of somebody else, whose journal is only read. */
  #watched: string | undefined;
  /** In the journal and not in the database. */
  #pending: EventRecord[] = [];
  #grouping: NodeJS.Timeout | undefined;
  /** Goes on with what the last slice left. */
  #slicing: NodeJS.Immediate | undefined;
  /** Why the last group did not become rows. */
  #stuck: HubError | undefined;

  constructor(db: Db, connection: SqliteConnection) {
    this.#db = db;
    this.#connection = connection;
    this.#rows = new EventInserts(connection);
  }

  async resume(): Promise<void> {
    this.#head = (await this.#lastRow()) ?? (await this.anchor());
    this.#marked = this.#head.sequence;
    for (const [callId, sequence] of await this.#findUnfinished()) this.#openCalls.restore(callId, sequence);
  }

  watchJournal(databasePath: string): void {
    this.#watched = databasePath;
  }

  /** Takes over what a hub that ended at once has left behind. */
  async keepJournal({ databasePath, durability }: JournalPlace): Promise<void> {
    const left = toJournaledRecords(readJournalLines(databasePath), databasePath, this.#head);
    for (let from = 0; from < left.length; from += EVENTS_PER_GROUP)
      await this.append(left.slice(from, from + EVENTS_PER_GROUP));
    this.#journal = new EventJournal(journalPath(databasePath), durability);
  }

  append(records: readonly EventRecord[]): void | Promise<void> {
    return this.#journal === undefined ? this.#appendRows(records) : this.#journalize(this.#journal, records);
  }

  /** Continues the chain with these; with a journal in this very moment, so that those of several writers do not get between each other. */
  chain(events: readonly NewEvent[]): readonly EventRecord[] | Promise<readonly EventRecord[]> {
    const records = chainEvents(this.#head, events);
    const kept = this.append(records);
    return kept === undefined ? records : kept.then(() => records);
  }

  #journalize(journal: EventJournal, records: readonly EventRecord[]): void {
    if (this.#stuck !== undefined) throw this.#stuck;
    const last = records.at(-1);
    if (last === undefined) return;
    this.#requireContinuation(records);
    journal.write(records);
    this.#head = { sequence: last.sequence, hash: last.hash };
    for (const record of records) {
      this.#openCalls.add(record);
      this.#pending.push(record);
    }
    if (this.#pending.length >= EVENTS_PER_GROUP) this.#group();
    else this.#groupSoon();
  }

  #groupSoon(ms = GROUP_MS): void {
    this.#grouping ??= setTimeout(() => this.#slice(EVENTS_PER_GROUP / EVENTS_PER_SLICE), ms).unref();
  }

  /** At most so many slices in as many turns, the last with all that came meanwhile: what never ends is never cleared away. */
  #slice(left: number): void {
    this.#group(left > 1 ? EVENTS_PER_SLICE : Infinity);
    if (this.#pending.length > 0 && this.#grouping === undefined)
      this.#slicing = setImmediate(() => this.#slice(left - 1));
  }

  /** Where another store is in the middle of a transaction, a little later. */
  #group(most = Infinity): void {
    this.#stopGrouping();
    if (this.#pending.length === 0) return;
    if (this.#connection.inTransaction) return this.#groupSoon();
    try {
      this.#insertAll(this.#pending.slice(0, most));
      this.#pending = this.#pending.slice(most);
      this.#stuck = undefined;
    } catch (error) {
      this.#stuck = toStorageError(error);
      this.#groupSoon(RETRY_MS);
      return;
    }
    if (this.#pending.length === 0) this.#journal?.clear();
  }

  #stopGrouping(): void {
    clearTimeout(this.#grouping);
    clearImmediate(this.#slicing);
    this.#grouping = undefined;
    this.#slicing = undefined;
  }

  #pendingAfter(sequence: number): readonly EventRecord[] {
    return this.#pending.filter((record) => record.sequence > sequence);
  }

  /** Makes rows of all that is kept. Where that failed the last time, only if it is to be tried again. */
  async settle(again = false): Promise<void> {
    if (this.#watched !== undefined) return this.#readWatched(this.#watched);
    if (this.#pending.length === 0 || (this.#stuck !== undefined && !again)) return;
    if (this.#connection.inTransaction) await this.#db.connection().execute(async () => this.#group());
    else this.#group();
  }

  /** The journal is another process's, who makes rows of it. Read before them, it misses nothing between. */
  async #readWatched(databasePath: string): Promise<void> {
    const lines = readJournalLines(databasePath);
    const head = (await this.#lastRow()) ?? (await this.anchor());
    this.#pending = [...toJournaledRecords(lines, databasePath, head)];
  }

  /** The journal stays where something of it could not become a row. */
  async close(): Promise<void> {
    if (this.#watched === undefined) await this.settle(true);
    this.#stopGrouping();
    this.#journal?.close();
    this.#journal = undefined;
  }

  #requireContinuation(records: readonly EventRecord[]): void {
    if (!continues(this.#head, records))
      throw new HubError('conflict', 'the event log does not end where these events continue it');
  }

  #appendRows(records: readonly EventRecord[]): void | Promise<void> {
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
    this.#requireContinuation(records);
    this.#insertAll(records);
    this.#head = { sequence: last.sequence, hash: last.hash };
    for (const record of records) this.#openCalls.add(record);
  }

  #insertAll(records: readonly EventRecord[]): void {
    const last = records.at(-1)?.sequence ?? 0;
    this.#connection.atomically(() => {
      this.#rows.insert(records);
      if (last - this.#marked > ROWS_PER_MARK) this.#moveMark(Math.min(last, this.#head.sequence));
    });
  }

  /** Up to a row that is known to be kept; with a journal these include the group that is being written. */
  #moveMark(last: number): void {
    const settled = this.#openCalls.settledUpTo(last);
    const save = (this.#saveMark ??= this.#connection.prepare(
      'insert into settings (key, value) values (?, ?) on conflict (key) do update set value = excluded.value',
    ));
    this.#connection.attempt(() => save.run(SETTLED_KEY, String(settled)));
    this.#marked = last;
  }

  async query({ limit, order, ...filter }: EventQuery): Promise<readonly EventRecord[]> {
    await this.settle();
    const last = (await this.#lastRow())?.sequence ?? 0;
    const pending = findPending(this.#pendingAfter(last), filter);
    if (order === 'oldest') {
      const rows = await this.#findRows({ limit, order, ...filter }, last);
      return [...rows, ...pending].slice(0, limit);
    }
    const newest = pending.toReversed().slice(0, limit);
    return [...newest, ...(await this.#findRows({ limit: limit - newest.length, order, ...filter }, last))];
  }

  async #findRows({ limit, order, ...filter }: EventQuery, last: number): Promise<readonly EventRecord[]> {
    const { sequence: trimmed } = await this.anchor();
    let low = Math.max(trimmed, filter.after ?? 0);
    let high = Math.min(last, (filter.before ?? Infinity) - 1);
    const found: EventRow[] = [];
    while (low < high && found.length < limit) {
      const from = order === 'newest' ? Math.max(low, high - ROWS_PER_TURN) : low;
      const to = order === 'newest' ? high : Math.min(high, low + ROWS_PER_TURN);
      found.push(
        ...(await sliceOf(this.#db, { ...filter, after: from, before: to + 1 }, order, limit - found.length)),
      );
      if (order === 'newest') high = from;
      else low = to;
      if (low < high && found.length < limit) await turn();
    }
    return found.map(fromEventRow);
  }

  async last(): Promise<EventRecord | undefined> {
    if (this.#watched !== undefined) await this.#readWatched(this.#watched);
    return this.#pending.at(-1) ?? this.#lastRow();
  }

  async #lastRow(): Promise<EventRecord | undefined> {
    const row = await this.#db
      .selectFrom('events')
      .selectAll()
      .orderBy('sequence', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row === undefined ? undefined : fromEventRow(row);
  }

  async unfinishedCalls(): Promise<readonly EventRecord[]> {
    await this.settle();
    const records: EventRecord[] = [];
    const pending = new Map(this.#pending.map((record) => [record.sequence, record]));
    for (const sequence of (await this.#findUnfinished()).values()) {
      const waiting = pending.get(sequence);
      if (waiting !== undefined) records.push(waiting);
      if (waiting !== undefined) continue;
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
    for (const { sequence, event } of this.#pendingAfter(rows.at(-1)?.sequence ?? 0)) {
      if (event.type === 'call.intended') open.set(event.callId, sequence);
      else if (event.type === 'call.finished') open.delete(event.callId);
    }
    return open;
  }

  async trim(sequence: number): Promise<void> {
    let { sequence: trimmed } = await this.anchor();
    for (;;) {
      // Each time: where there was no room for rows, removing others makes some.
      await this.settle(true);
      const last = (await this.#lastRow())?.sequence ?? 0;
      const upTo = Math.min(sequence, last, trimmed + ROWS_PER_TRIM);
      if (upTo <= trimmed) return;
      await trimEvents(this.#db, upTo);
      this.#openCalls.forgetUpTo(upTo);
      trimmed = upTo;
      await turn();
    }
  }

  anchor(): Promise<ChainPoint> {
    return readAnchor(this.#db);
  }

  async count(): Promise<number> {
    const last = (await this.last())?.sequence;
    return last === undefined ? 0 : last - (await this.anchor()).sequence;
  }
}
