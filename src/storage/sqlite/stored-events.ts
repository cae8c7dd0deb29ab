import { setImmediate as turn } from 'node:timers/promises';
import { BYTES_PER_PAGE, type EventPage, type EventQuery, type EventRecord } from '../../governance/index.js';
import type { Db } from '../database.js';
import { readAnchor, readSettled, type ChainPoint } from '../event-marks.js';
import {
  CALL_ENDS,
  cutPage,
  endsCall,
  findEventRows,
  type EventFilter,
  type FoundEvents,
} from '../event-rows.js';
import { findInBlocks, lastBlock } from './block-events.js';

/** Rows of the narrow index a filter reads before others get their turn: a few milliseconds. */
const ROWS_PER_TURN = 50_000;
/** Calls are looked for in pages of so many. */
const CALLS_PER_PAGE = 1_000;

/** An intent, or the outcome that goes with it. */
export interface CallMark {
  readonly sequence: number;
  readonly callId: string;
  readonly isFinished: boolean;
}

/** What the database holds of the log, in rows and in blocks. Whoever asks does not see which. */
export class StoredEvents {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Up to the event with the number `last`. */
  async find({ limit, maxBytes = Infinity, order, ...filter }: EventQuery, last: number): Promise<EventPage> {
    const { sequence: trimmed } = await readAnchor(this.#db);
    let low = Math.max(trimmed, filter.after ?? 0);
    let high = Math.min(last, (filter.before ?? Infinity) - 1);
    const found: EventRecord[] = [];
    let bytesLeft = maxBytes;
    while (low < high && found.length < limit) {
      const from = order === 'newest' ? Math.max(low, high - ROWS_PER_TURN) : low;
      const to = order === 'newest' ? high : Math.min(high, low + ROWS_PER_TURN);
      const range = { ...filter, after: from, before: to + 1 };
      const { records, bytes, isCut } = await this.#findIn(range, order, limit - found.length, bytesLeft);
      found.push(...records);
      bytesLeft -= bytes;
      if (order === 'newest') high = from;
      else low = to;
      if (isCut || (bytesLeft <= 0 && low < high)) return cutPage(found);
      if (low < high && found.length < limit) await turn();
    }
    return found;
  }

  async #findIn(
    range: EventFilter & { readonly after: number; readonly before: number },
    order: EventQuery['order'],
    limit: number,
    maxBytes: number,
  ): Promise<FoundEvents> {
    const rows = await findEventRows(this.#db, range, order, limit, maxBytes);
    const blocked = await findInBlocks(this.#db, range, order, limit, maxBytes);
    if (blocked.records.length === 0) return rows;
    const sign = order === 'newest' ? -1 : 1;
    // What one of them has behind the end of the other may come after something that was not read.
    const end = Math.min(
      ...[rows, blocked].map(({ records, isCut }) =>
        isCut ? sign * (records.at(-1)?.sequence ?? 0) : Infinity,
      ),
    );
    const records = [...rows.records, ...blocked.records]
      .filter(({ sequence }) => sign * sequence <= end)
      .sort((a, b) => sign * (a.sequence - b.sequence))
      .slice(0, limit);
    return { records, bytes: rows.bytes + blocked.bytes, isCut: rows.isCut || blocked.isCut };
  }

  /** Where the chain stands; undefined where there is nothing. */
  async end(): Promise<ChainPoint | undefined> {
    const row = await this.#db
      .selectFrom('events')
      .select(['sequence', 'hash'])
      .orderBy('sequence', 'desc')
      .limit(1)
      .executeTakeFirst();
    const block = await lastBlock(this.#db);
    return (block?.sequence ?? 0) > (row?.sequence ?? 0) ? block : row;
  }

  async last(): Promise<EventRecord | undefined> {
    const end = await this.end();
    return end === undefined ? undefined : this.at(end.sequence);
  }

  async at(sequence: number): Promise<EventRecord | undefined> {
    const range = { after: sequence - 1, before: sequence + 1 };
    return (await this.#findIn(range, 'oldest', 1, Infinity)).records[0];
  }

  /** Since the mark up to which every call is finished and up to `last`, oldest first. */
  async callsAfterMark(last: number): Promise<readonly CallMark[]> {
    const settled = await readSettled(this.#db);
    const intended = await this.#ofType('call.intended', settled, last);
    const ended = await Promise.all(CALL_ENDS.map((type) => this.#ofType(type, settled, last)));
    return [...intended, ...ended.flat()].sort((a, b) => a.sequence - b.sequence);
  }

  async #ofType(
    type: 'call.intended' | (typeof CALL_ENDS)[number],
    after: number,
    last: number,
  ): Promise<readonly CallMark[]> {
    const isFinished = type !== 'call.intended';
    const marks = (await this.#callRows(type, after, last)).map((row) => ({ ...row, isFinished }));
    let page: FoundEvents;
    let from = after;
    do {
      const range = { type, after: from, before: last + 1 };
      page = await findInBlocks(this.#db, range, 'oldest', CALLS_PER_PAGE, BYTES_PER_PAGE);
      for (const { sequence, event } of page.records)
        if (event.type === 'call.intended' || endsCall(event))
          marks.push({ sequence, callId: event.callId, isFinished });
      from = page.records.at(-1)?.sequence ?? last;
    } while (page.isCut || page.records.length === CALLS_PER_PAGE);
    return marks;
  }

  /** Without what they say: arguments may be large, and the hub does not start before all of these are read. */
  async #callRows(
    type: string,
    after: number,
    last: number,
  ): Promise<readonly { readonly sequence: number; readonly callId: string }[]> {
    const rows = await this.#db
      .selectFrom('events')
      .select(['sequence', 'call_id'])
      .where('type', '=', type)
      .where('sequence', '>', after)
      .where('sequence', '<=', last)
      .orderBy('sequence')
      .execute();
    return rows.flatMap(({ sequence, call_id }) => (call_id === null ? [] : [{ sequence, callId: call_id }]));
  }
}
