import { createHash } from 'node:crypto';
import type { Clock, SharedStore, Switchboard } from '../../kernel/index.js';
import { StoreUnavailable, type SessionRecord, type SessionStore } from '../../mcp/server/index.js';
import { nameOf, readRecord, writeRecord } from '../session-text.js';
import { LossMark } from './loss-mark.js';

export interface SharedSessionOptions {
  readonly store: SharedStore;
  readonly board: Switchboard;
  /** Sessions of one endpoint mean nothing to another. */
  readonly endpoint: string;
  readonly clock: Clock;
  readonly idleMs?: number;
  readonly absoluteMs?: number;
  readonly perPrincipal?: number;
  readonly total?: number;
}

type ExpiryListener = Parameters<NonNullable<SessionStore['onExpired']>>[0];

interface Entry {
  record: SessionRecord;
  /** By this process. */
  usedAt: number;
  /** When the store said so. */
  provenAt: number;
}

/** What is being asked of the store. One that is no longer the latest was asked before a change. */
interface Proof {
  found?: Promise<SessionRecord | undefined>;
}

/** What was proven is taken for granted this long, so that most requests ask nobody. */
const PROOF_MS = 60_000;
/** As where sessions are in one process. Its place is kept with each proof, which may be that much older than its use. */
const LATELY_MS = 2 * 60_000;
/** After a failure the store is left alone for a moment. */
const TROUBLE_MS = 1_000;
const SWEEP_MS = 30_000;
/** Long before any moment the clock tells. */
const LONG_AGO = Number.NEGATIVE_INFINITY;
const MOST_TRIES = 5;
/** Stands where a session was: whoever still remembers it must not bring it back. */
const ENDED = 'ended';
const LOST = JSON.stringify(['lost']);

/**
 * Sessions that all replicas serve. Each remembers those it has seen, asks the store about them once a minute, and hears
 * of changes. A store that has lost everything is given back what replicas remember.
 */
export class SharedSessionStore implements SessionStore {
  readonly #options: Required<SharedSessionOptions>;
  readonly #line: string;
  readonly #entries = new Map<string, Entry>();
  readonly #proving = new Map<string, Proof>();
  readonly #sweep: NodeJS.Timeout;
  readonly #stop: () => void;
  readonly #mark: LossMark;
  #proveAgain: NodeJS.Timeout | undefined;
  #troubleUntil = LONG_AGO;
  #closed = false;
  #onExpired: ExpiryListener | undefined;
  #onChanged: ((record: SessionRecord) => void) | undefined;

  constructor(options: SharedSessionOptions) {
    this.#options = {
      idleMs: 30 * 60_000,
      absoluteMs: 24 * 3_600_000,
      perPrincipal: 100,
      total: 20_000,
      ...options,
    };
    this.#line = `sessions:${options.endpoint}`;
    this.#stop = options.board.serve(this.#line, {
      told: (_, message) => this.#told(message),
      missed: () => {
        // The store is back.
        this.#troubleUntil = LONG_AGO;
        this.#doubtAll();
      },
    });
    this.#mark = new LossMark(options.store, `sessions-kept:${options.endpoint}`, () => {
      options.board.tell(undefined, this.#line, LOST);
      this.#doubtAll();
    });
    this.#sweep = setInterval(() => this.#dropIdle(), SWEEP_MS);
    this.#sweep.unref();
  }

  async add(record: SessionRecord): Promise<boolean> {
    const { store, perPrincipal, total } = this.#options;
    const member = digest(nameOf(record.principal, record.id));
    return this.#reaching(async () => {
      await this.#mark.leave();
      const [own, all] = this.#groupsOf(record.principal);
      const bounds = { ttlMs: this.#ttlMs, most: perPrincipal };
      if (!(await store.join(own, member, bounds))) {
        await this.#giveUpOne(record.principal);
        if (!(await store.join(own, member, bounds))) return false;
      }
      if (!(await store.join(all, member, { ttlMs: this.#ttlMs, most: total }))) {
        await store.leave(own, member);
        return false;
      }
      await store.set(this.#keyOf(record.principal, record.id), writeRecord(record), this.#ttlMs);
      this.#remember(record);
      return true;
    });
  }

  find(principal: string, id: string): SessionRecord | undefined | Promise<SessionRecord | undefined> {
    const entry = this.#entries.get(nameOf(principal, id));
    const now = this.#now();
    // Until the handshake is complete every replica has to know when it is.
    if (entry === undefined || !entry.record.initialized || now - entry.provenAt >= PROOF_MS)
      return this.#prove(principal, id);
    entry.usedAt = now;
    return entry.record;
  }

  async update(record: SessionRecord, changes: Partial<SessionRecord> = record): Promise<void> {
    const { store, board } = this.#options;
    const key = this.#keyOf(record.principal, record.id);
    await this.#reaching(async () => {
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const text = await store.get(key);
        if (text === ENDED) return;
        const merged = text === undefined ? record : { ...readRecord(text, record), ...changes };
        const written =
          text === undefined
            ? await store.add(key, writeRecord(merged), this.#ttlMs)
            : await store.replace(key, text, writeRecord(merged), this.#ttlMs);
        if (!written) continue;
        this.#proving.delete(nameOf(record.principal, record.id));
        this.#remember(merged);
        this.#onChanged?.(merged);
        board.tell(undefined, this.#line, JSON.stringify(['changed', record.principal, record.id]));
        return;
      }
    });
  }

  async remove(principal: string, id: string): Promise<void> {
    const { store, board } = this.#options;
    const name = nameOf(principal, id);
    const member = digest(name);
    this.#entries.delete(name);
    this.#proving.delete(name);
    await this.#reaching(async () => {
      await store.set(this.#keyOf(principal, id), ENDED, this.#ttlMs);
      board.tell(undefined, this.#line, JSON.stringify(['ended', principal, id]));
      await Promise.all(this.#groupsOf(principal).map((group) => store.leave(group, member)));
    });
  }

  onExpired(listener: ExpiryListener): void {
    this.#onExpired = listener;
  }

  onChanged(listener: (record: SessionRecord) => void): void {
    this.#onChanged = listener;
  }

  close(): void {
    this.#stop();
    clearInterval(this.#sweep);
    clearTimeout(this.#proveAgain);
    this.#closed = true;
    this.#entries.clear();
  }

  /** Many clients never end theirs: a principal gives up the one that it has not used for longest, and not lately. */
  async #giveUpOne(principal: string): Promise<void> {
    const { store, board, endpoint } = this.#options;
    const [own, all] = this.#groupsOf(principal);
    const member = await store.dismiss(own, this.#ttlMs - LATELY_MS - PROOF_MS);
    if (member === undefined) return;
    await store.set(`session:${endpoint}:${member}`, ENDED, this.#ttlMs);
    this.#givenUp(principal, member);
    board.tell(undefined, this.#line, JSON.stringify(['given up', principal, member]));
    await store.leave(all, member);
  }

  #givenUp(principal: string, member: string): void {
    for (const [name, { record }] of this.#entries)
      if (record.principal === principal && digest(name) === member) {
        this.#proving.delete(name);
        this.#forget(principal, record.id, 'deleted');
      }
  }

  /** Longer than a session may rest: it is looked at only now and then. */
  get #ttlMs(): number {
    return this.#options.idleMs + 2 * PROOF_MS;
  }

  #prove(principal: string, id: string): Promise<SessionRecord | undefined> {
    const name = nameOf(principal, id);
    const running = this.#proving.get(name)?.found;
    if (running !== undefined) return running;
    const proof: Proof = {};
    this.#proving.set(name, proof);
    const isLatest = (): boolean => this.#proving.get(name) === proof;
    proof.found = this.#ask(principal, id, isLatest).finally(() => {
      if (isLatest()) this.#proving.delete(name);
    });
    return proof.found;
  }

  /** Of one that is not remembered here. Where the store has lost everything, others may remember it. */
  async #seek(key: string): Promise<string | undefined> {
    const { store } = this.#options;
    const text = await store.get(key, this.#ttlMs);
    return text === undefined && (await this.#mark.regain()) ? store.get(key, this.#ttlMs) : text;
  }

  #doubtAll(): void {
    for (const entry of this.#entries.values()) entry.provenAt = LONG_AGO;
    void this.#proveAll();
  }

  /** So that a store that has lost everything gets back those that nobody uses at the moment, too. */
  async #proveAll(): Promise<void> {
    clearTimeout(this.#proveAgain);
    for (const [name, { record }] of this.#entries) {
      if (this.#closed) return;
      if (this.#entries.get(name)?.provenAt !== LONG_AGO) continue;
      await this.#prove(record.principal, record.id).catch(() => {});
      if (this.#closed || this.#entries.get(name)?.provenAt !== LONG_AGO) continue;
      // It cannot be reached yet.
      this.#proveAgain = setTimeout(() => void this.#proveAll(), TROUBLE_MS);
      this.#proveAgain.unref();
      return;
    }
  }

  async #ask(principal: string, id: string, isLatest: () => boolean): Promise<SessionRecord | undefined> {
    const name = nameOf(principal, id);
    const { store, absoluteMs, idleMs } = this.#options;
    const known = this.#entries.get(name);
    const isFresh = known !== undefined && this.#now() - known.usedAt < idleMs;
    const key = this.#keyOf(principal, id);
    let text: string | undefined;
    try {
      text = await this.#reaching(() => (isFresh ? store.get(key, this.#ttlMs) : this.#seek(key)));
      // It has forgotten, or was started anew.
      if (text === undefined && isFresh) text = await this.#reaching(() => this.#giveBack(known.record));
    } catch (error) {
      if (!isFresh || !this.#entries.has(name)) throw error;
      known.usedAt = this.#now();
      return known.record;
    }
    // What was read before a change must not be remembered after it.
    if (!isLatest()) return this.#prove(principal, id);
    const record = text === undefined || text === ENDED ? undefined : readRecord(text, { principal, id });
    if (record === undefined || this.#options.clock.now() - record.createdAt >= absoluteMs) {
      this.#forget(principal, id, text === ENDED ? 'deleted' : 'expired');
      return undefined;
    }
    this.#remember(record);
    this.#keepPlace(principal, name);
    return record;
  }

  async #giveBack(record: SessionRecord): Promise<string | undefined> {
    const { store } = this.#options;
    const key = this.#keyOf(record.principal, record.id);
    const text = writeRecord(record);
    return (await store.add(key, text, this.#ttlMs)) ? text : store.get(key);
  }

  /** It counts among the sessions of its principal for as long as it is used. */
  #keepPlace(principal: string, name: string): void {
    const { store } = this.#options;
    const bounds = { ttlMs: this.#ttlMs, most: Number.POSITIVE_INFINITY };
    for (const group of this.#groupsOf(principal))
      store.join(group, digest(name), bounds).catch(() => {
        // Only the count is a little lower until the next time.
      });
  }

  async #reaching<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#now() < this.#troubleUntil) throw new StoreUnavailable();
    try {
      return await work();
    } catch (error) {
      this.#troubleUntil = this.#now() + TROUBLE_MS;
      throw new StoreUnavailable('sessions cannot be looked up', { cause: error });
    }
  }

  #told(message: string): void {
    const [kind, principal = '', id = ''] = JSON.parse(message) as readonly string[];
    if (kind === 'lost') {
      this.#doubtAll();
      return;
    }
    if (kind === 'given up') return this.#givenUp(principal, id);
    const name = nameOf(principal, id);
    this.#proving.delete(name);
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    if (kind === 'ended') this.#forget(principal, id, 'deleted');
    else {
      entry.provenAt = LONG_AGO;
      this.#prove(principal, id).then(
        (record) => record !== undefined && this.#onChanged?.(record),
        // Looked up again by the next request.
        () => {},
      );
    }
  }

  #remember(record: SessionRecord): void {
    const now = this.#now();
    this.#entries.set(nameOf(record.principal, record.id), { record, usedAt: now, provenAt: now });
  }

  #forget(principal: string, id: string, reason: 'deleted' | 'expired' | 'closed'): void {
    if (this.#entries.delete(nameOf(principal, id))) this.#onExpired?.(principal, id, reason);
  }

  /** Others may use it; this process has nothing to do with it any more. */
  #dropIdle(): void {
    const now = this.#now();
    for (const { record, usedAt } of this.#entries.values())
      if (now - usedAt >= this.#options.idleMs) this.#forget(record.principal, record.id, 'closed');
  }

  /** Names of sessions are nobody's business but their client's. */
  #keyOf(principal: string, id: string): string {
    return `session:${this.#options.endpoint}:${digest(nameOf(principal, id))}`;
  }

  #groupsOf(principal: string): readonly [string, string] {
    const { endpoint } = this.#options;
    return [`sessions:${endpoint}:${digest(principal)}`, `sessions:${endpoint}`];
  }

  #now(): number {
    return this.#options.clock.monotonic();
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
