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

  /** `lines`: of all of them, in UTF-8, where somebody has written them already. */
  insert(records: readonly EventRecord[], lines?: Uint8Array): void {
    if (lines !== undefined && records.length <= MOST_OF_BLOCK && lines.length <= MOST_TEXT)
      return this.#insertBlock(records, lines);
    for (let from = 0; from < records.length;) {
      let text = '';
      let next = from;
      for (const record of records.slice(from, from + MOST_OF_BLOCK)) {
        if (text.length >= MOST_TEXT) break;
        text += toLine(record);
        next++;
      }
      this.#insertBlock(records.slice(from, next), Buffer.from(text));
      from = next;
    }
  }

  #insertBlock(records: readonly EventRecord[], lines: Uint8Array): void {
    const [first] = records;
    if (first === undefined) return;
    const names = new BlockNames();
    let last = first;
    let earliest = first.at;
    let latest = first.at;
    for (const record of records) {
      last = record;
      names.add(filterColumnsOf(record));
      if (record.at < earliest) earliest = record.at;
      if (record.at > latest) latest = record.at;
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
    // Bytes are handed over as they are; text would be measured and encoded first.
    const statement = (this.#statement ??= this.#connection.prepare(
      'insert into event_blocks (last, first, earliest, latest, previous_hash, hash, names, lines) values (?, ?, ?, ?, ?, ?, ?, cast(? as text))',
    ));
    this.#connection.attempt(() => statement.run(...values));
  }
}
