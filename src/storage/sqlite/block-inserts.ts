import type { StatementSyncInstance } from '@photostructure/sqlite';
import type { EventRecord } from '../../governance/index.js';
import { filterColumnsOf } from '../event-rows.js';
import { BlockNames } from './block-names.js';
import { toLine } from './event-lines.js';
import type { SqliteConnection } from './sqlite-connection.js';

/** A block of fewer would make searches read more than as many rows do. */
export const LEAST_OF_BLOCK = 64;
export const MOST_OF_BLOCK = 512;
/** Beyond this a block ends early: whoever reads one event of it reads all. */
const MOST_TEXT = 256 * 1024;

/** Makes blocks of events: one statement with eight values instead of eleven values for each event and an index. */
export class BlockInserts {
  readonly #connection: SqliteConnection;
  #statement: StatementSyncInstance | undefined;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  insert(records: readonly EventRecord[]): void {
    let from = 0;
    while (from < records.length) from = this.#insertBlock(records, from);
  }

  /** Returns where the next one begins. */
  #insertBlock(records: readonly EventRecord[], from: number): number {
    const first = records[from];
    if (first === undefined) return records.length;
    const names = new BlockNames();
    let lines = '';
    let last = first;
    let earliest = first.at;
    let latest = first.at;
    let next = from;
    while (next < records.length && next - from < MOST_OF_BLOCK && lines.length < MOST_TEXT) {
      last = records[next] ?? last;
      lines += toLine(last);
      names.add(filterColumnsOf(last));
      if (last.at < earliest) earliest = last.at;
      if (last.at > latest) latest = last.at;
      next++;
    }
    const values = [
      last.sequence,
      first.sequence,
      earliest,
      latest,
      first.previousHash,
      last.hash,
      names.toText(),
      lines,
    ];
    const statement = (this.#statement ??= this.#connection.prepare(
      'insert into event_blocks (last, first, earliest, latest, previous_hash, hash, names, lines) values (?, ?, ?, ?, ?, ?, ?, ?)',
    ));
    this.#connection.attempt(() => statement.run(...values));
    return next;
  }
}
