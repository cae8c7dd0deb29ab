import type { EventStore, SessionKey, StoredEvent, StoredRun } from './event-store.js';
import { monotonic } from '../monotonic.js';
import { SingleEvent } from './event-run.js';
import { LinkedList, type Place } from './linked-list.js';

/** How much is kept for clients that resume a stream. Defaults: 1,000 events and 4 MiB of a session, 64 MiB in all, ten minutes. */
export interface MemoryEventOptions {
  readonly maxEventsPerSession?: number;
  readonly maxBytesPerSession?: number;
  readonly maxBytes?: number;
  readonly maxAgeMs?: number;
  readonly clock?: () => number;
}

/** One run among all, and among those of its session. */
interface Entry {
  readonly log: SessionLog;
  readonly run: StoredRun;
  readonly at: number;
  /** How many of its events are gone; they stay in memory until all are. */
  dropped: number;
  inAll: Place<Entry> | undefined;
  inLog: Place<Entry> | undefined;
}

interface SessionLog {
  readonly name: string;
  /** Oldest first. */
  readonly entries: LinkedList<Entry>;
  events: number;
  bytes: number;
}

/** Bookkeeping of one event, counted so that many tiny events are bounded too. */
const OVERHEAD_BYTES = 200;

/** Events in this process. Whatever exceeds a bound pushes out the oldest: of its session first, then of all. */
export class MemoryEventStore implements EventStore {
  readonly #maxEvents: number;
  readonly #maxSessionBytes: number;
  readonly #maxBytes: number;
  readonly #maxAgeMs: number;
  readonly #now: () => number;
  readonly #logs = new Map<string, SessionLog>();
  /** Of all sessions, oldest first. */
  readonly #all = new LinkedList<Entry>();
  #bytes = 0;

  constructor(options: MemoryEventOptions = {}) {
    this.#maxEvents = options.maxEventsPerSession ?? 1000;
    this.#maxSessionBytes = options.maxBytesPerSession ?? 4 * 1024 * 1024;
    this.#maxBytes = options.maxBytes ?? 64 * 1024 * 1024;
    this.#maxAgeMs = options.maxAgeMs ?? 10 * 60_000;
    this.#now = options.clock ?? monotonic;
  }

  get bytes(): number {
    return this.#bytes;
  }

  append(key: SessionKey, event: StoredEvent): void {
    const now = this.#now();
    this.#dropOlderThan(now - this.#maxAgeMs);
    const bytes = bytesFor(event.text.length);
    if (bytes > this.#maxSessionBytes || bytes > this.#maxBytes) {
      // It cannot be kept, so nothing before it in its stream is of use: a gap must not look like a whole stream.
      this.#dropStream(key, event.stream);
      return;
    }
    this.#add(key, new SingleEvent(event.stream, event.seq, event.text), bytes, now);
  }

  appendRun(key: SessionKey, run: StoredRun): void {
    const { stream, firstSeq, count } = run;
    let bytes = 0;
    for (let i = 0; i < count; i++) bytes += bytesFor(run.lengthAt(i));
    if (bytes > this.#maxSessionBytes || bytes > this.#maxBytes) {
      for (let i = 0; i < count; i++) this.append(key, { stream, seq: firstSeq + i, text: run.textAt(i) });
      return;
    }
    const now = this.#now();
    this.#dropOlderThan(now - this.#maxAgeMs);
    this.#add(key, run, bytes, now);
  }

  #add(key: SessionKey, run: StoredRun, bytes: number, at: number): void {
    const log = this.#openLog(nameOf(key));
    const entry: Entry = { log, run, at, dropped: 0, inAll: undefined, inLog: undefined };
    entry.inAll = this.#all.add(entry);
    entry.inLog = log.entries.add(entry);
    log.events += run.count;
    log.bytes += bytes;
    this.#bytes += bytes;
    while (log.events > this.#maxEvents || log.bytes > this.#maxSessionBytes) this.#dropFirst(log.entries);
    while (this.#bytes > this.#maxBytes) this.#dropFirst(this.#all);
  }

  read(key: SessionKey, stream: string, afterSeq: number): readonly StoredEvent[] | undefined {
    this.#dropOlderThan(this.#now() - this.#maxAgeMs);
    const log = this.#logs.get(nameOf(key));
    if (log === undefined) return undefined;
    const events: StoredEvent[] = [];
    let known = false;
    for (const { run, dropped } of log.entries) {
      if (run.stream !== stream) continue;
      known = true;
      for (let i = Math.max(dropped, afterSeq + 1 - run.firstSeq); i < run.count; i++)
        events.push({ stream, seq: run.firstSeq + i, text: run.textAt(i) });
    }
    return known ? events : undefined;
  }

  forget(key: SessionKey): void {
    const log = this.#logs.get(nameOf(key));
    if (log === undefined) return;
    for (const entry of log.entries) this.#drop(entry);
  }

  close(): void {
    this.#logs.clear();
    this.#all.clear();
    this.#bytes = 0;
  }

  #openLog(name: string): SessionLog {
    let log = this.#logs.get(name);
    if (log === undefined)
      this.#logs.set(name, (log = { name, entries: new LinkedList(), events: 0, bytes: 0 }));
    return log;
  }

  #dropStream(key: SessionKey, stream: string): void {
    const log = this.#logs.get(nameOf(key));
    if (log === undefined) return;
    for (const entry of log.entries) if (entry.run.stream === stream) this.#drop(entry);
  }

  #dropOlderThan(limit: number): void {
    for (let oldest = this.#all.first; oldest !== undefined && oldest.at <= limit;) {
      this.#drop(oldest);
      oldest = this.#all.first;
    }
  }

  /** The oldest event of the oldest run. */
  #dropFirst(entries: LinkedList<Entry>): void {
    const entry = entries.first;
    if (entry === undefined) return;
    this.#dropEvent(entry);
    if (entry.dropped === entry.run.count) this.#drop(entry);
  }

  #dropEvent(entry: Entry): void {
    const { log, run } = entry;
    const bytes = bytesFor(run.lengthAt(entry.dropped++));
    log.events--;
    log.bytes -= bytes;
    this.#bytes -= bytes;
  }

  #drop(entry: Entry): void {
    const { log, run, inAll, inLog } = entry;
    while (entry.dropped < run.count) this.#dropEvent(entry);
    if (inAll !== undefined) this.#all.remove(inAll);
    if (inLog !== undefined) log.entries.remove(inLog);
    if (log.events === 0) this.#logs.delete(log.name);
  }
}

function bytesFor(length: number): number {
  return length * 2 + OVERHEAD_BYTES;
}

/** Neither part can be mistaken for the other, whatever a principal is called. */
function nameOf(key: SessionKey): string {
  return `${key.principal.length}:${key.principal}:${key.session}`;
}
