import type { EventStore, SessionKey, StoredEvent } from './event-store.js';
import { monotonic } from '../monotonic.js';

export interface MemoryEventOptions {
  readonly maxEventsPerSession?: number;
  readonly maxBytesPerSession?: number;
  readonly maxBytes?: number;
  readonly maxAgeMs?: number;
  readonly clock?: () => number;
}

/** Events that were said of one stream right after one another: one entry in the books instead of one for each. */
interface Run {
  readonly key: SessionKey;
  readonly log: SessionLog;
  readonly stream: string;
  readonly at: number;
  readonly firstSeq: number;
  /** In order; those before `dropped` are gone. */
  readonly texts: string[];
  dropped: number;
}

interface SessionLog {
  readonly name: string;
  /** Oldest first. */
  readonly runs: Set<Run>;
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
  readonly #all = new Set<Run>();
  #newest: Run | undefined;
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
    const bytes = bytesOf(event.text);
    if (bytes > this.#maxSessionBytes || bytes > this.#maxBytes) {
      // It cannot be kept, so nothing before it in its stream is of use: a gap must not look like a whole stream.
      this.#dropStream(key, event.stream);
      return;
    }
    const { log } = this.#openRun(key, event, now);
    log.events++;
    log.bytes += bytes;
    this.#bytes += bytes;
    while (log.events > this.#maxEvents || log.bytes > this.#maxSessionBytes) this.#dropFirst(log.runs);
    while (this.#bytes > this.#maxBytes) this.#dropFirst(this.#all);
  }

  read(key: SessionKey, stream: string, afterSeq: number): readonly StoredEvent[] | undefined {
    this.#dropOlderThan(this.#now() - this.#maxAgeMs);
    const log = this.#logs.get(nameOf(key));
    if (log === undefined) return undefined;
    const events: StoredEvent[] = [];
    let known = false;
    for (const run of log.runs) {
      if (run.stream !== stream) continue;
      known = true;
      run.texts.forEach((text, index) => {
        const seq = run.firstSeq + index;
        if (index >= run.dropped && seq > afterSeq) events.push({ stream, seq, text });
      });
    }
    return known ? events : undefined;
  }

  forget(key: SessionKey): void {
    const log = this.#logs.get(nameOf(key));
    if (log === undefined) return;
    for (const run of log.runs) this.#drop(run);
  }

  close(): void {
    this.#logs.clear();
    this.#all.clear();
    this.#newest = undefined;
    this.#bytes = 0;
  }

  /** The run that the event belongs to, with the event. */
  #openRun(key: SessionKey, { stream, seq, text }: StoredEvent, now: number): Run {
    const newest = this.#newest;
    if (
      newest !== undefined &&
      newest.stream === stream &&
      newest.at === now &&
      newest.firstSeq + newest.texts.length === seq &&
      newest.key === key
    ) {
      newest.texts.push(text);
      return newest;
    }
    const log = this.#openLog(nameOf(key));
    const run: Run = { key, log, stream, at: now, firstSeq: seq, texts: [text], dropped: 0 };
    log.runs.add(run);
    this.#all.add(run);
    this.#newest = run;
    return run;
  }

  #openLog(name: string): SessionLog {
    let log = this.#logs.get(name);
    if (log === undefined) this.#logs.set(name, (log = { name, runs: new Set(), events: 0, bytes: 0 }));
    return log;
  }

  #dropStream(key: SessionKey, stream: string): void {
    const log = this.#logs.get(nameOf(key));
    if (log === undefined) return;
    for (const run of log.runs) if (run.stream === stream) this.#drop(run);
  }

  #dropOlderThan(limit: number): void {
    for (const run of this.#all) {
      if (run.at > limit) return;
      this.#drop(run);
    }
  }

  /** The oldest event of the oldest run. */
  #dropFirst(runs: Set<Run>): void {
    for (const run of runs) {
      this.#dropEvent(run);
      if (run.dropped === run.texts.length) this.#drop(run);
      return;
    }
  }

  #dropEvent(run: Run): void {
    const { log, texts } = run;
    const bytes = bytesOf(texts[run.dropped] ?? '');
    texts[run.dropped++] = '';
    log.events--;
    log.bytes -= bytes;
    this.#bytes -= bytes;
  }

  #drop(run: Run): void {
    const { log } = run;
    while (run.dropped < run.texts.length) this.#dropEvent(run);
    if (this.#newest === run) this.#newest = undefined;
    this.#all.delete(run);
    log.runs.delete(run);
    if (log.runs.size === 0) this.#logs.delete(log.name);
  }
}

function bytesOf(text: string): number {
  return text.length * 2 + OVERHEAD_BYTES;
}

/** Neither part can be mistaken for the other, whatever a principal is called. */
function nameOf(key: SessionKey): string {
  return `${key.principal.length}:${key.principal}:${key.session}`;
}
