import { setImmediate as turn } from 'node:timers/promises';
import type { Clock, TicketStore } from '../../kernel/index.js';
import {
  MemorySessionStore,
  StoreUnavailable,
  type MemorySessionOptions,
  type SessionRecord,
  type SessionStore,
} from '../../mcp/server/index.js';
import { nameOf, readRecord, writeRecord } from '../session-text.js';

export interface KeptSessionOptions {
  readonly tickets: Pick<TicketStore, 'put' | 'find' | 'remove'>;
  readonly clock: Clock;
  /** Sessions of one endpoint mean nothing to another. */
  readonly endpoint: string;
  /** Tickets that end together with whoever has the session. */
  readonly groupOf: (principal: string) => string;
  /** Something could not be written down. Sessions go on, and it is tried again. */
  readonly onFailure: (error: unknown) => void;
  readonly bounds?: Pick<MemorySessionOptions, 'perPrincipal' | 'total'>;
}

const IDLE_MS = 30 * 60_000;
const ABSOLUTE_MS = 24 * 3_600_000;
/** A session that is opened and confirmed in one go is written once. */
const SAVE_MS = 200;
const RETRY_MS = 5_000;
/** How often it is written down which sessions are in use. */
const REFRESH_MS = 5 * 60_000;
/** How long others wait for what is written in one go. */
const SLICE_MS = 8;

/**
 * Sessions of this process that outlive it. What is known of them is also in the store of the hub, and one that is not here is
 * looked for there; whoever names one that is here asks nobody.
 */
export class KeptSessionStore implements SessionStore {
  readonly #options: KeptSessionOptions;
  readonly #memory: MemorySessionStore;
  readonly #kind: string;
  /** What is still to be written down, by name; undefined: that there is none any more. */
  readonly #unsaved = new Map<string, SessionRecord | undefined>();
  readonly #refresh: NodeJS.Timeout;
  #refreshedAt: number;
  /** Set from the time on when something is to be written until it is. */
  #later: NodeJS.Timeout | undefined;
  #saving: Promise<void> | undefined;
  #closed = false;

  constructor(options: KeptSessionOptions) {
    const { clock, endpoint, bounds } = options;
    this.#options = options;
    this.#memory = new MemorySessionStore({
      ...bounds,
      idleMs: IDLE_MS,
      absoluteMs: ABSOLUTE_MS,
      clock: () => clock.monotonic(),
    });
    this.#kind = `session:${endpoint}`;
    this.#refreshedAt = clock.monotonic();
    this.#refresh = setInterval(() => this.#noteUsed(), REFRESH_MS);
    this.#refresh.unref();
  }

  add(record: SessionRecord): boolean {
    const fits = this.#memory.add(record);
    if (fits) this.#note(record.principal, record.id, record);
    return fits;
  }

  find(principal: string, id: string): SessionRecord | undefined | Promise<SessionRecord | undefined> {
    return this.#memory.find(principal, id) ?? this.#seek(principal, id);
  }

  update(record: SessionRecord): void {
    // What a request changes that is answered after the end of its session is of no use to anybody.
    if (this.#memory.find(record.principal, record.id) === undefined) return;
    this.#memory.update(record);
    this.#note(record.principal, record.id, record);
  }

  remove(principal: string, id: string): void {
    this.#memory.remove(principal, id);
    this.#note(principal, id, undefined);
  }

  onExpired(listener: (principal: string, id: string) => void): void {
    this.#memory.onExpired((principal, id) => {
      this.#note(principal, id, undefined);
      listener(principal, id);
    });
  }

  /** Writes down what is not yet. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#noteUsed();
    this.#closed = true;
    clearInterval(this.#refresh);
    clearTimeout(this.#later);
    await this.#saving;
    await this.#save();
    this.#memory.close();
  }

  async #seek(principal: string, id: string): Promise<SessionRecord | undefined> {
    const name = nameOf(principal, id);
    const hasEnded = (): boolean => this.#unsaved.has(name) && this.#unsaved.get(name) === undefined;
    if (hasEnded()) return undefined;
    const ticket = await this.#options.tickets.find(this.#kind, name).catch((error: unknown) => {
      throw new StoreUnavailable('sessions cannot be looked up', { cause: error });
    });
    // Another request may have brought it here meanwhile, or ended it.
    const here = this.#memory.find(principal, id);
    if (here !== undefined || ticket === undefined || hasEnded()) return here;
    const record = readRecord(ticket.value, { principal, id });
    const ageMs = Math.max(0, this.#options.clock.now() - record.createdAt);
    return ageMs < ABSOLUTE_MS && this.#memory.add(record, ageMs) ? record : undefined;
  }

  #noteUsed(): void {
    for (const record of this.#memory.usedSince(this.#refreshedAt))
      this.#note(record.principal, record.id, record);
    this.#refreshedAt = this.#options.clock.monotonic();
  }

  #note(principal: string, id: string, record: SessionRecord | undefined): void {
    this.#unsaved.set(nameOf(principal, id), record);
    this.#saveIn(SAVE_MS);
  }

  #saveIn(ms: number): void {
    if (this.#closed) return;
    this.#later ??= setTimeout(() => {
      this.#saving = this.#save();
    }, ms).unref();
  }

  async #save(): Promise<void> {
    let pauseMs = SAVE_MS;
    try {
      let sliceEnd = performance.now() + SLICE_MS;
      for (const [name, record] of this.#unsaved) {
        await this.#write(name, record);
        // Unless it changed meanwhile.
        if (this.#unsaved.get(name) === record) this.#unsaved.delete(name);
        if (performance.now() < sliceEnd) continue;
        await turn();
        sliceEnd = performance.now() + SLICE_MS;
      }
    } catch (error) {
      this.#options.onFailure(error);
      pauseMs = RETRY_MS;
    }
    this.#later = undefined;
    if (this.#unsaved.size > 0) this.#saveIn(pauseMs);
  }

  async #write(name: string, record: SessionRecord | undefined): Promise<void> {
    const { tickets, clock, groupOf } = this.#options;
    if (record === undefined) return tickets.remove(this.#kind, name);
    await tickets.put({
      kind: this.#kind,
      name,
      value: writeRecord(record),
      group: groupOf(record.principal),
      expiresAt: clock.now() + IDLE_MS + REFRESH_MS,
    });
  }
}
