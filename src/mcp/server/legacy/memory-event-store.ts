import type { EventStore, SessionKey, StoredEvent } from './event-store.js';

export interface MemoryEventOptions {
  readonly maxEventsPerSession?: number;
  readonly maxBytesPerSession?: number;
  readonly maxBytes?: number;
  readonly maxAgeMs?: number;
  readonly clock?: () => number;
}

interface Kept {
  readonly event: StoredEvent;
  readonly log: SessionLog;
  readonly bytes: number;
  readonly at: number;
}

interface SessionLog {
  readonly name: string;
  /** Oldest first. */
  readonly kept: Set<Kept>;
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
  readonly #all = new Set<Kept>();
  #bytes = 0;

  constructor(options: MemoryEventOptions = {}) {
    this.#maxEvents = options.maxEventsPerSession ?? 1000;
    this.#maxSessionBytes = options.maxBytesPerSession ?? 4 * 1024 * 1024;
    this.#maxBytes = options.maxBytes ?? 64 * 1024 * 1024;
    this.#maxAgeMs = options.maxAgeMs ?? 10 * 60_000;
    this.#now = options.clock ?? Date.now;
  }

  get bytes(): number {
    return this.#bytes;
  }

  append(key: SessionKey, event: StoredEvent): void {
    const now = this.#now();
    this.#dropOlderThan(now - this.#maxAgeMs);
    const bytes = event.text.length * 2 + OVERHEAD_BYTES;
    if (bytes > this.#maxSessionBytes || bytes > this.#maxBytes) {
      // It cannot be kept, so nothing before it in its stream is of use: a gap must not look like a whole stream.
      this.#dropStream(key, event.stream);
      return;
    }
    const log = this.#openLog(nameOf(key));
    const kept: Kept = { event, log, bytes, at: now };
    log.kept.add(kept);
    log.bytes += bytes;
    this.#all.add(kept);
    this.#bytes += bytes;
    while (log.kept.size > this.#maxEvents || log.bytes > this.#maxSessionBytes) this.#dropFirst(log.kept);
    while (this.#bytes > this.#maxBytes) this.#dropFirst(this.#all);
  }

  read(key: SessionKey, stream: string, afterSeq: number): readonly StoredEvent[] | undefined {
    this.#dropOlderThan(this.#now() - this.#maxAgeMs);
    const log = this.#logs.get(nameOf(key));
    if (log === undefined) return undefined;
    const events: StoredEvent[] = [];
    let known = false;
    for (const { event } of log.kept) {
      if (event.stream !== stream) continue;
      known = true;
      if (event.seq > afterSeq) events.push(event);
    }
    return known ? events : undefined;
  }

  forget(key: SessionKey): void {
    const log = this.#logs.get(nameOf(key));
    if (log === undefined) return;
    for (const kept of log.kept) this.#drop(kept);
  }

  close(): void {
    this.#logs.clear();
    this.#all.clear();
    this.#bytes = 0;
  }

  #openLog(name: string): SessionLog {
    let log = this.#logs.get(name);
    if (log === undefined) this.#logs.set(name, (log = { name, kept: new Set(), bytes: 0 }));
    return log;
  }

  #dropStream(key: SessionKey, stream: string): void {
    const log = this.#logs.get(nameOf(key));
    if (log === undefined) return;
    for (const kept of log.kept) if (kept.event.stream === stream) this.#drop(kept);
  }

  #dropOlderThan(limit: number): void {
    for (const kept of this.#all) {
      if (kept.at > limit) return;
      this.#drop(kept);
    }
  }

  #dropFirst(kept: Set<Kept>): void {
    for (const first of kept) {
      this.#drop(first);
      return;
    }
  }

  #drop(kept: Kept): void {
    this.#all.delete(kept);
    this.#bytes -= kept.bytes;
    kept.log.kept.delete(kept);
    kept.log.bytes -= kept.bytes;
    if (kept.log.kept.size === 0) this.#logs.delete(kept.log.name);
  }
}

/** Neither part can be mistaken for the other, whatever a principal is called. */
function nameOf(key: SessionKey): string {
  return `${key.principal.length}:${key.principal}:${key.session}`;
}
