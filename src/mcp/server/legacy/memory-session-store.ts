import type { SessionRecord, SessionStore } from './session-store.js';
import { monotonic } from '../monotonic.js';

/**
 * Defaults: 100 sessions of one principal, 20,000 in all, 30 minutes unused, a day at most. Many clients never end theirs:
 * a principal with as many as it may have gives up the one it has not used for longest, unless it used all of them lately.
 */
export interface MemorySessionOptions {
  readonly perPrincipal?: number;
  readonly total?: number;
  readonly idleMs?: number;
  readonly absoluteMs?: number;
  readonly sweepMs?: number;
  /** Milliseconds that only grow. */
  readonly clock?: () => number;
}

/** Longer than calls take whose clients show in no other way that they are still there. */
const LATELY_MS = 2 * 60_000;

interface Entry {
  record: SessionRecord;
  /** By the clock of this store: the date in the record moves when somebody sets the clock of the machine. */
  readonly addedAt: number;
  usedAt: number;
}

/** Sessions in this process, bounded in number and age. */
export class MemorySessionStore implements SessionStore {
  readonly #perPrincipal: number;
  readonly #total: number;
  readonly #idleMs: number;
  readonly #absoluteMs: number;
  readonly #sweepMs: number;
  readonly #now: () => number;
  readonly #principals = new Map<string, Map<string, Entry>>();
  #size = 0;
  #sweep: NodeJS.Timeout | undefined;
  #onExpired: ((principal: string, id: string) => void) | undefined;

  constructor(options: MemorySessionOptions = {}) {
    this.#perPrincipal = options.perPrincipal ?? 100;
    this.#total = options.total ?? 20_000;
    this.#idleMs = options.idleMs ?? 30 * 60_000;
    this.#absoluteMs = options.absoluteMs ?? 24 * 3_600_000;
    this.#sweepMs = options.sweepMs ?? 30_000;
    this.#now = options.clock ?? monotonic;
  }

  get size(): number {
    return this.#size;
  }

  /** One that another store had before may be of some age. */
  add(record: SessionRecord, ageMs = 0): boolean {
    let own = this.#principals.get(record.principal);
    if (this.#size >= this.#total || (own?.size ?? 0) >= this.#perPrincipal) {
      // Ended sessions may still be counted: look before refusing.
      this.#expire();
      if ((own?.size ?? 0) >= this.#perPrincipal) this.#giveUpOne(own);
      own = this.#principals.get(record.principal);
      if (this.#size >= this.#total || (own?.size ?? 0) >= this.#perPrincipal) return false;
    }
    if (own === undefined) this.#principals.set(record.principal, (own = new Map()));
    const now = this.#now();
    own.set(record.id, { record, addedAt: now - ageMs, usedAt: now });
    this.#size++;
    this.#sweep ??= setInterval(() => this.#expire(), this.#sweepMs).unref();
    return true;
  }

  find(principal: string, id: string): SessionRecord | undefined {
    const entry = this.#principals.get(principal)?.get(id);
    if (entry === undefined) return undefined;
    const now = this.#now();
    if (this.#isOver(entry, now)) {
      this.remove(principal, id);
      this.#onExpired?.(principal, id);
      return undefined;
    }
    entry.usedAt = now;
    return entry.record;
  }

  update(record: SessionRecord): void {
    const entry = this.#principals.get(record.principal)?.get(record.id);
    if (entry !== undefined) entry.record = record;
  }

  remove(principal: string, id: string): void {
    const own = this.#principals.get(principal);
    if (own?.delete(id) !== true) return;
    this.#size--;
    if (own.size === 0) this.#principals.delete(principal);
    if (this.#size === 0) this.#stopSweep();
  }

  onExpired(listener: (principal: string, id: string) => void): void {
    this.#onExpired = listener;
  }

  /** By the clock of this store. */
  *usedSince(time: number): Iterable<SessionRecord> {
    for (const own of this.#principals.values())
      for (const { record, usedAt } of own.values()) if (usedAt >= time) yield record;
  }

  close(): void {
    this.#stopSweep();
    this.#principals.clear();
    this.#size = 0;
  }

  #isOver(entry: Entry, now: number): boolean {
    return now - entry.usedAt >= this.#idleMs || now - entry.addedAt >= this.#absoluteMs;
  }

  #expire(): void {
    const now = this.#now();
    for (const [principal, own] of this.#principals) {
      for (const [id, entry] of own) {
        if (!this.#isOver(entry, now)) continue;
        this.remove(principal, id);
        this.#onExpired?.(principal, id);
      }
    }
  }

  #giveUpOne(own: ReadonlyMap<string, Entry> = new Map()): void {
    let oldest: Entry | undefined;
    for (const entry of own.values())
      if (oldest === undefined || entry.usedAt < oldest.usedAt) oldest = entry;
    if (oldest === undefined || this.#now() - oldest.usedAt < LATELY_MS) return;
    const { principal, id } = oldest.record;
    this.remove(principal, id);
    this.#onExpired?.(principal, id);
  }

  #stopSweep(): void {
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }
}
