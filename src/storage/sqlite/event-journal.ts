import {
  closeSync,
  fchmodSync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { chainEvent, type EventRecord } from '../../governance/index.js';
import { HubError } from '../../kernel/index.js';
import type { ChainPoint } from '../event-marks.js';
import { toStorageError } from '../storage-errors.js';
import { parseLine, toLine, type EventLine } from './event-lines.js';
import { damaged, journalPath } from './sqlite-file.js';

/** For as many events as become rows together, unless they are unusually long. */
const HELD_BYTES = 256 * 1024;
/** In UTF-8. */
const MOST_BYTES_OF_UNIT = 3;

/**
 * Events that are kept but not yet rows, one line each, in a file beside the database: writing a line takes a tenth of
 * the time of a commit. Whatever the file says that the database does not, counts.
 */
export class EventJournal {
  readonly #file: number;
  readonly #toDisk: boolean;
  /** What was written since the file was last cleared: the same bytes become a block of the database. */
  readonly #held = Buffer.allocUnsafeSlow(HELD_BYTES);
  /** Undefined once it was too much. */
  #heldLength: number | undefined = 0;
  #length = 0;
  #lost: HubError | undefined;
  #closed = false;

  /** Empties the file: what it had must be in the database. */
  constructor(path: string, durability: 'process' | 'disk') {
    this.#toDisk = durability === 'disk';
    this.#file = openSync(path, 'a', 0o600);
    fchmodSync(this.#file, 0o600);
    ftruncateSync(this.#file);
  }

  /** All or none. */
  write(records: readonly EventRecord[]): void {
    if (this.#lost !== undefined) throw this.#lost;
    const text = toLines(records);
    const start = this.#heldLength;
    if (start !== undefined && text.length * MOST_BYTES_OF_UNIT <= HELD_BYTES - start) {
      const length = this.#held.write(text, start);
      this.#append(this.#held, start, length);
      this.#heldLength = start + length;
    } else {
      const bytes = Buffer.from(text);
      this.#append(bytes, 0, bytes.length);
      this.#heldLength = undefined;
    }
  }

  /** The lines of all that was written since the last `clear`, as they stand in the file; undefined: too much to be held. */
  get lines(): Uint8Array | undefined {
    return this.#heldLength === undefined ? undefined : this.#held.subarray(0, this.#heldLength);
  }

  /** In bytes. */
  get length(): number {
    return this.#length;
  }

  #append(bytes: Buffer, start: number, length: number): void {
    try {
      for (let done = 0; done < length;) done += writeSync(this.#file, bytes, start + done, length - done);
    } catch (error) {
      this.#takeBack();
      throw toStorageError(error);
    }
    if (this.#toDisk) this.#flush();
    this.#length += length;
  }

  /** When all of it is in the database. */
  clear(): void {
    this.#heldLength = 0;
    if (this.#length === 0) return;
    try {
      ftruncateSync(this.#file);
      this.#length = 0;
    } catch {
      // What stays is known to be in the database by its numbers.
    }
  }

  /** The file stays; whoever closes the database removes it if it is empty. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#file);
  }

  /** What the disk took of records that it did not take whole. */
  #takeBack(): void {
    try {
      ftruncateSync(this.#file, this.#length);
    } catch (error) {
      this.#lost = noLonger(error);
    }
  }

  #flush(): void {
    try {
      fdatasyncSync(this.#file);
    } catch (error) {
      this.#lost = noLonger(error);
      throw this.#lost;
    }
  }
}

/** Once the disk has refused to confirm a write, nothing that it confirms later can be trusted. */
function noLonger(cause: unknown): HubError {
  const message = 'the disk failed under the journal of events: repair it and start again';
  return new HubError('storage_unavailable', message, { cause });
}

function toLines(records: readonly EventRecord[]): string {
  let lines = '';
  for (const record of records) lines += toLine(record);
  return lines;
}

/**
 * What the journal has beyond the end of the database. A last record that was not written whole was never acknowledged and
 * does not count; one that is wrong in the middle, or does not continue the database, is a damage that only people can judge.
 */
export function toJournaledRecords(
  lines: readonly string[],
  databasePath: string,
  head: ChainPoint,
): readonly EventRecord[] {
  const records: EventRecord[] = [];
  let last = head;
  for (const [index, line] of lines.entries()) {
    const found = parseLine(line);
    if (found !== undefined && found.sequence < last.sequence) continue;
    if (found?.sequence === last.sequence && found.hash === last.hash) continue;
    const record = found === undefined ? undefined : toRecord(last, found);
    if (record === undefined) {
      if (lines.slice(index + 1).every((later) => parseLine(later) === undefined) && found === undefined)
        return records;
      throw damaged(databasePath, 'is not continued by its journal of events, the "-events" file beside it');
    }
    records.push(record);
    last = record;
  }
  return records;
}

/** Without what comes after the last end of a line. */
export function readJournalLines(databasePath: string): readonly string[] {
  try {
    return readFileSync(journalPath(databasePath), 'utf8').split('\n').slice(0, -1);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

function toRecord(
  last: ChainPoint,
  { sequence, at, hash, actor, event }: EventLine,
): EventRecord | undefined {
  const record = chainEvent(last, at, actor, event);
  return record.sequence === sequence && record.hash === hash ? record : undefined;
}
