import { setImmediate as turn } from 'node:timers/promises';
import type { StatementSyncInstance } from '@photostructure/sqlite';
import { HubError } from '../../kernel/index.js';
import {
  chainEvents,
  type EventPage,
  type EventQuery,
  type EventRecord,
  type EventStore,
  type NewEvent,
} from '../../governance/index.js';
import type { Db } from '../database.js';
import { continues, readAnchor, readSettled, SETTLED_KEY, type ChainPoint } from '../event-marks.js';
import { cutPage, endsCall } from '../event-rows.js';
import { toStorageError } from '../storage-errors.js';
import { BlockInserts, LEAST_OF_BLOCK } from './block-inserts.js';
import { EventInserts } from './event-inserts.js';
import { EventJournal, readJournalLines, toJournaledRecords } from './event-journal.js';
import { matches } from './matching-events.js';
import { OpenCalls } from './open-calls.js';
import type { SqliteConnection } from './sqlite-connection.js';
import { journalPath } from './sqlite-file.js';
import { StoredEvents } from './stored-events.js';
import { endOfBytes, trimEvents } from './trim-events.js';

const ROWS_PER_TRIM = 2_000;
/** Each page of what is removed is looked at. */
const BYTES_PER_TRIM = 8_388_608;
/** How many rows may pass before the settled mark is moved. */
const ROWS_PER_MARK = 1_000;
/** So many events, or so many milliseconds, until those in the journal become rows together. */
const EVENTS_PER_GROUP = 256;
const MOST_PENDING = 2 * EVENTS_PER_GROUP;
/** Or so many bytes, where events are large. */
const BYTES_PER_GROUP = 1_048_576;
const GROUP_MS = 50;
const RETRY_MS = 1_000;
/** So many share the cost of a write well enough, and a server that is handed these works while the hub reads the next. */
const FULL_GROUP = 16;

interface JournalPlace {
  readonly databasePath: string;
  readonly durability: 'process' | 'disk';
  readonly access: 'hub' | 'read' | 'worker';
  /** Hears how many bytes became rows. */
  readonly wrote: (bytes: number) => void;
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
  readonly #stored: StoredEvents;
  readonly #rows: EventInserts;
  readonly #blocks: BlockInserts;
  readonly #openCalls = new OpenCalls();
  #saveMark: StatementSyncInstance | undefined;
  #head: ChainPoint = { sequence: 0, hash: '' };
  /** The last row when the settled mark was last moved, or the mark itself where that was before the start. */
  #marked = 0;
  #waiting: Promise<void> | undefined;
  #journal: EventJournal | undefined;
  #wrote: ((bytes: number) => void) | undefined;
  #fullGroup: number | undefined;
  /** The database of somebody else, whose journal is only read. */
  #watched: string | undefined;
  /** In the journal and not in the database. */
  #pending: EventRecord[] = [];
  #grouping: NodeJS.Timeout | undefined;
  #groupingNext: NodeJS.Immediate | undefined;
  /** Why the last group did not become rows. */
  #stuck: HubError | undefined;

  constructor(db: Db, connection: SqliteConnection) {
    this.#db = db;
    this.#connection = connection;
    this.#stored = new StoredEvents(db);
    this.#rows = new EventInserts(connection);
    this.#blocks = new BlockInserts(connection);
  }

  get fullGroup(): number | undefined {
    return this.#fullGroup;
  }

  async resume(): Promise<void> {
    this.#head = (await this.#stored.end()) ?? (await this.anchor());
    // Not the end: a hub that is killed again and again would search more of its log at each start.
    this.#marked = await readSettled(this.#db);
    for (const [callId, sequence] of await this.#findUnfinished()) this.#openCalls.restore(callId, sequence);
  }

  watchJournal(databasePath: string): void {
    this.#watched = databasePath;
  }

  /** Takes over what a hub that ended at once has left behind. */
  async keepJournal({ databasePath, durability, wrote }: JournalPlace): Promise<void> {
    const left = toJournaledRecords(readJournalLines(databasePath), databasePath, this.#head);
    for (let from = 0; from < left.length; from += EVENTS_PER_GROUP)
      await this.append(left.slice(from, from + EVENTS_PER_GROUP));
    this.#journal = new EventJournal(journalPath(databasePath), durability);
    this.#wrote = wrote;
    // Each group waits for the disk, so there it is better to have few.
    if (durability === 'process') this.#fullGroup = FULL_GROUP;
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
    const pending = this.#pending.length;
    if (pending >= MOST_PENDING) this.#group();
    // Calls that wait for these events go first: making rows takes as long as ten of them.
    else if (pending >= EVENTS_PER_GROUP || journal.length >= BYTES_PER_GROUP)
      this.#groupingNext ??= setImmediate(() => this.#group());
    else this.#groupSoon();
  }

  #groupSoon(ms = GROUP_MS): void {
    this.#grouping ??= setTimeout(() => this.#group(), ms).unref();
  }

  /** Where another store is in the middle of a transaction, a little later. */
  #group(): void {
    this.#stopGrouping();
    if (this.#pending.length === 0) return;
    if (this.#connection.inTransaction) return this.#groupSoon();
    try {
      this.#insertAll(this.#pending, this.#journal?.lines);
      this.#pending = [];
      this.#stuck = undefined;
    } catch (error) {
      this.#stuck = toStorageError(error);
      this.#groupSoon(RETRY_MS);
      return;
    }
    const bytes = this.#journal?.length ?? 0;
    this.#journal?.clear();
    this.#wrote?.(bytes);
  }

  #stopGrouping(): void {
    clearTimeout(this.#grouping);
    clearImmediate(this.#groupingNext);
    this.#grouping = undefined;
    this.#groupingNext = undefined;
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
    const head = (await this.#stored.end()) ?? (await this.anchor());
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

  /** `lines`: their text, where the journal still has it. */
  #insertAll(records: readonly EventRecord[], lines?: Uint8Array): void {
    const last = records.at(-1)?.sequence ?? 0;
    this.#connection.atomically(() => {
      if (records.length < LEAST_OF_BLOCK) this.#rows.insert(records);
      else this.#blocks.insert(records, lines);
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

  /** Those that wait are few, and in memory: they count for nothing in `maxBytes`. */
  async query({ limit, maxBytes, order, ...filter }: EventQuery): Promise<EventPage> {
    await this.settle();
    const last = (await this.#stored.end())?.sequence ?? 0;
    const pending = this.#pendingAfter(last).filter((record) => matches(record, filter));
    const bound = maxBytes === undefined ? {} : { maxBytes };
    if (order === 'oldest') {
      const stored = await this.#stored.find({ limit, order, ...bound, ...filter }, last);
      return stored.isCut === true ? stored : [...stored, ...pending].slice(0, limit);
    }
    const newest = pending.toReversed().slice(0, limit);
    const stored = await this.#stored.find(
      { limit: limit - newest.length, order, ...bound, ...filter },
      last,
    );
    const all = [...newest, ...stored];
    return stored.isCut === true ? cutPage(all) : all;
  }

  async last(): Promise<EventRecord | undefined> {
    if (this.#watched !== undefined) await this.#readWatched(this.#watched);
    return this.#pending.at(-1) ?? this.#stored.last();
  }

  async unfinishedCalls(): Promise<readonly EventRecord[]> {
    await this.settle();
    const records: EventRecord[] = [];
    for (const sequence of (await this.#findUnfinished()).values()) {
      const waiting = this.#pending.find((record) => record.sequence === sequence);
      const record = waiting ?? (await this.#stored.at(sequence));
      if (record !== undefined) records.push(record);
    }
    return records;
  }

  async #findUnfinished(): Promise<ReadonlyMap<string, number>> {
    const last = (await this.#stored.end())?.sequence ?? 0;
    // In this moment: what waits now may be stored before everything up to the last is read.
    const pending = this.#pendingAfter(last);
    const open = new Map<string, number>();
    for (const { sequence, callId, isFinished } of await this.#stored.callsAfterMark(last)) {
      if (isFinished) open.delete(callId);
      else open.set(callId, sequence);
    }
    for (const { sequence, event } of pending) {
      if (event.type === 'call.intended') open.set(event.callId, sequence);
      else if (endsCall(event)) open.delete(event.callId);
    }
    return open;
  }

  async trim(sequence: number): Promise<void> {
    let { sequence: trimmed } = await this.anchor();
    for (;;) {
      // Each time: where there was no room for rows, removing others makes some.
      await this.settle(true);
      const last = (await this.#stored.end())?.sequence ?? 0;
      const most = Math.min(sequence, last, trimmed + ROWS_PER_TRIM);
      if (most <= trimmed) return;
      const upTo = await endOfBytes(this.#db, { after: trimmed, upTo: most }, BYTES_PER_TRIM);
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
