import type { EventRecord, EventStore, NewEvent } from '../../governance/index.js';
import type { SqliteEventStore } from './sqlite-event-store.js';

/** Where events stand that were appended together: they follow each other. */
export interface AppendedEvents {
  readonly sequence: number;
  readonly previousHash: string;
  readonly hashes: readonly string[];
}

/** The log as the one process that writes it serves it to others. All of it can be sent as JSON. */
export interface EventPrimary {
  next(events: readonly NewEvent[]): Promise<AppendedEvents>;
  /** Throws `conflict` unless they continue the chain. */
  append(records: readonly EventRecord[]): Promise<void>;
  /** Makes rows of all that is kept, for those who look into the file. */
  settle(): Promise<void>;
  trim(sequence: number): Promise<void>;
}

export function appendedRecords(
  events: readonly NewEvent[],
  { sequence, previousHash, hashes }: AppendedEvents,
): readonly EventRecord[] {
  let before = previousHash;
  return events.map(({ at, actor, event }, index) => {
    const hash = hashes[index] ?? '';
    const record = { sequence: sequence + index, at, actor, event, previousHash: before, hash };
    before = hash;
    return record;
  });
}

export function createEventPrimary(store: SqliteEventStore): EventPrimary {
  return {
    async next(events) {
      const records = await store.chain(events);
      const first = records[0];
      return {
        sequence: first?.sequence ?? 0,
        previousHash: first?.previousHash ?? '',
        hashes: records.map(({ hash }) => hash),
      };
    },
    append: async (records) => store.append(records),
    settle: () => store.settle(),
    trim: (sequence) => store.trim(sequence),
  };
}

/**
 * The log as a worker has it: what it writes goes through the process that writes for all, what it reads comes from the
 * file, which that process has brought up to date.
 */
export function createWorkerEventStore(reader: EventStore, primary: EventPrimary): EventStore {
  const settled = async <T>(read: () => Promise<T>): Promise<T> => {
    await primary.settle();
    return read();
  };
  return {
    append: (records) => primary.append(records),
    async appendNext(given) {
      const events = given.map(({ at, actor, event }) => ({ at, actor, event }));
      return appendedRecords(events, await primary.next(events));
    },
    trim: (sequence) => primary.trim(sequence),
    query: (query) => settled(() => reader.query(query)),
    last: () => settled(() => reader.last()),
    unfinishedCalls: () => settled(() => reader.unfinishedCalls()),
    count: () => settled(() => reader.count()),
    anchor: () => reader.anchor(),
  };
}
