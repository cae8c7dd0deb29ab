import { HubError, isHubError, type Clock, type Logger } from '../kernel/index.js';
import { chainEvents, GENESIS_HASH } from './event-chain.js';
import type { Actor, EventRecord, EventStore, HubEvent, NewEvent } from './events.js';

export interface EventLog {
  /** Resolves when the event is kept. Rejects with `audit_unavailable`, and then whatever was intended must not happen. */
  intend(actor: Actor, event: HubEvent): Promise<void>;
  /** Keeps an event as soon as possible and never disturbs what it records. */
  append(actor: Actor, event: HubEvent): void;
  /** Whether events can be written now. */
  readonly available: boolean;
  /** Called with every kept event, in order. */
  subscribe(listener: (record: EventRecord) => void): () => void;
  /** Writes what is waiting. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface EventLogOptions {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Named in every intent, so that whoever finds a call unfinished can tell whether somebody still makes it. */
  readonly instance?: string;
  /**
   * Events that may wait while the store does not take any. Beyond it new intents are refused, and of calls that were
   * refused before anything was done only the number is kept; all else waits.
   */
  readonly maxWaiting?: number;
  readonly retryMs?: number;
}

interface Waiting extends NewEvent {
  readonly kept: (() => void) | undefined;
  readonly refused: ((error: HubError) => void) | undefined;
}

const MAX_GROUP = 500;
/** For outcomes, that they need no message of their own. */
const LINGER_MS = 3;
/** How long those who intend something wait for a store that does not answer. */
const PATIENCE_MS = 5_000;
/** Of one group, against other writers. */
const MAX_ATTEMPTS = 20;

/** Opens the log where it ended. Events of one turn of the event loop are written together. */
export async function openEventLog(options: EventLogOptions): Promise<EventLog> {
  const last = (await options.store.last()) ?? (await options.store.anchor());
  return new GroupedEventLog(options, last.sequence === 0 ? { sequence: 0, hash: GENESIS_HASH } : last);
}

interface Head {
  readonly sequence: number;
  readonly hash: string;
}

type Intended = Extract<HubEvent, { readonly type: 'call.intended' }>;

/** Written out: a copy that gets one member more costs several times as much, to make and whenever it is read. */
function withInstance(intent: Intended, instance: string): Intended {
  const { type, callId, connector, target, exposedName, method, arguments: args, policies, trace } = intent;
  if (trace !== undefined) return { ...intent, instance };
  return { type, callId, connector, target, exposedName, method, arguments: args, policies, instance };
}

function isAwaited({ kept }: Waiting): boolean {
  return kept !== undefined;
}

function refusal(message: string, cause?: unknown): HubError {
  return new HubError('audit_unavailable', message, { cause });
}

class GroupedEventLog implements EventLog {
  readonly #options: Required<Omit<EventLogOptions, 'instance'>> & Pick<EventLogOptions, 'instance'>;
  readonly #listeners = new Set<(record: EventRecord) => void>();
  #head: Head;
  #waiting: Waiting[] = [];
  /** How many of these somebody waits for, since a group was last written. */
  #awaited = 0;
  #scheduled = false;
  #writing: Promise<void> | undefined;
  /** Of those who wait, the first so many: they may be in the store already. */
  #onTheWay = 0;
  #patience: NodeJS.Timeout | undefined;
  /** What is being written takes so long that nobody waits for it any more. */
  #isLate = false;
  #retry: NodeJS.Timeout | undefined;
  #lingering: NodeJS.Timeout | undefined;
  #available = true;
  /** Refusals that were not written down for want of room. */
  #leftOut = 0;
  #closed = false;

  constructor(options: EventLogOptions, head: Head) {
    this.#options = { maxWaiting: 10_000, retryMs: 1_000, ...options };
    this.#head = head;
  }

  get available(): boolean {
    return this.#available;
  }

  intend(actor: Actor, intent: HubEvent): Promise<void> {
    const { instance } = this.#options;
    const event =
      instance !== undefined && intent.type === 'call.intended' ? withInstance(intent, instance) : intent;
    return new Promise((resolve, reject) => {
      if (this.#closed) reject(new HubError('shutting_down', 'the hub is shutting down'));
      else if (this.#isLate) reject(refusal('the event log does not answer'));
      else if (this.#waiting.length < this.#options.maxWaiting) this.#add(actor, event, resolve, reject);
      else reject(refusal('too many events wait to be written'));
    });
  }

  append(actor: Actor, event: HubEvent): void {
    if (this.#closed) return;
    const isFull = this.#waiting.length >= this.#options.maxWaiting;
    if (isFull && event.type === 'call.refused') this.#leftOut++;
    else this.#add(actor, event, undefined, undefined);
  }

  subscribe(listener: (record: EventRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async flush(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#isPaused()) {
      if (this.#writing === undefined) this.#begin();
      await this.#writing;
    }
  }

  async close(): Promise<void> {
    this.#resume();
    await this.flush();
    this.#closed = true;
    clearTimeout(this.#lingering);
    clearTimeout(this.#patience);
    this.#resume();
  }

  #add(actor: Actor, event: HubEvent, kept: Waiting['kept'], refused: Waiting['refused']): void {
    this.#waiting.push({ at: this.#options.clock.now(), actor, event, kept, refused });
    if (kept === undefined && this.#options.store.appendNext !== undefined) this.#linger();
    else this.#schedule();
    if (kept !== undefined && ++this.#awaited === this.#options.store.fullGroup) this.#writeEarly();
  }

  /** Calls that are ready to go: whoever answers them can begin while the turn goes on with others. */
  #writeEarly(): void {
    if (this.#writing === undefined && !this.#isPaused()) this.#begin();
  }

  /** Where each group is a message to another process, what nobody waits for goes with what somebody waits for. */
  #linger(): void {
    this.#lingering ??= setTimeout(() => {
      this.#lingering = undefined;
      this.#schedule();
    }, LINGER_MS).unref();
  }

  #schedule(): void {
    if (this.#scheduled || this.#writing !== undefined || this.#isPaused()) return;
    this.#scheduled = true;
    setImmediate(this.#due);
  }

  readonly #due = (): void => {
    this.#scheduled = false;
    if (this.#writing === undefined) this.#begin();
  };

  #begin(): void {
    this.#awaited = 0;
    const written = this.#write();
    const next = (): void => {
      this.#writing = undefined;
      this.#isLate = false;
      if (this.#waiting.length === 0) return;
      if (this.#options.store.appendNext === undefined || this.#waiting.some(isAwaited)) this.#schedule();
      else this.#linger();
    };
    if (written === undefined) next();
    else this.#await(written.finally(next));
  }

  #await(writing: Promise<void>): void {
    this.#writing = writing;
    this.#patience ??= setTimeout(() => {
      const late = this.#writing;
      // An answer that came while the process stood still is heard first.
      setImmediate(() => late !== undefined && late === this.#writing && this.#giveUp());
    }, PATIENCE_MS).unref();
    this.#patience.refresh();
  }

  /** What is on the way may be kept all the same. Nothing comes of it: it was refused, and that is written behind it. */
  #giveUp(): void {
    this.#isLate = true;
    this.#refuseIntents(new HubError('storage_unavailable', 'the store does not answer'));
  }

  /** Undefined where the store has kept them at once: a promise for each turn would cost as much as its events. */
  #write(): Promise<void> | undefined {
    const group = this.#waiting.slice(0, MAX_GROUP);
    if (group.length === 0) return undefined;
    this.#onTheWay = group.length;
    if (this.#options.store.appendNext !== undefined) return this.#writeNext(group);
    const records = chainEvents(this.#head, group);
    try {
      const appended = this.#options.store.append(records);
      if (appended === undefined) return this.#kept(group, records);
      return appended.then(
        () => this.#kept(group, records),
        (error: unknown) => this.#writeBehind(group, error),
      );
    } catch (error) {
      return this.#writeBehind(group, error);
    }
  }

  async #writeNext(group: readonly Waiting[]): Promise<void> {
    try {
      this.#kept(group, (await this.#options.store.appendNext?.(group)) ?? []);
    } catch (error) {
      await this.#fail(error);
    }
  }

  #kept(group: readonly Waiting[], records: readonly EventRecord[]): undefined {
    this.#head = records.at(-1) ?? this.#head;
    this.#waiting = this.#waiting.slice(group.length);
    if (!this.#available) this.#options.logger.info({}, 'the event log can be written again');
    this.#available = true;
    if (this.#leftOut > 0) this.#tellLeftOut();
    for (const { kept } of group) kept?.();
    for (const record of records) for (const listener of this.#listeners) listener(record);
  }

  #tellLeftOut(): void {
    this.#options.logger.warn(
      { refusals: this.#leftOut },
      'refused calls were not recorded: too many events waited to be written',
    );
    this.#leftOut = 0;
  }

  /** Another writer may have continued the chain since; then the same events go behind its. */
  async #writeBehind(group: readonly Waiting[], reason: unknown): Promise<void> {
    const { store } = this.#options;
    let error = reason;
    for (let attempt = 1; isHubError(error, 'conflict') && attempt < MAX_ATTEMPTS; attempt++) {
      try {
        this.#kept(group, await this.#appendBehind(group, store));
        return;
      } catch (next) {
        error = next;
      }
    }
    await this.#fail(error);
  }

  async #appendBehind(group: readonly Waiting[], store: EventStore): Promise<readonly EventRecord[]> {
    let records: readonly EventRecord[] = [];
    // In turn with the others, now that there are some.
    if (store.appendBehind !== undefined) {
      await store.appendBehind((last) => (records = chainEvents(last, group)));
      return records;
    }
    this.#head = (await store.last()) ?? this.#head;
    records = chainEvents(this.#head, group);
    await store.append(records);
    return records;
  }

  /** Intents are refused; everything else waits and is tried again. */
  async #fail(error: unknown): Promise<void> {
    const { store, retryMs } = this.#options;
    this.#onTheWay = 0;
    this.#refuseIntents(error);
    try {
      this.#head = (await store.last()) ?? this.#head;
    } catch {
      // Still unreachable; the next attempt reads it again.
    }
    if (this.#closed) return;
    this.#retry ??= setTimeout(() => {
      this.#retry = undefined;
      this.#schedule();
    }, retryMs);
    this.#retry.unref();
  }

  #refuseIntents(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    if (this.#available)
      this.#options.logger.error({ error: reason }, 'the event log cannot be written: calls are refused');
    this.#available = false;
    const why = refusal('the event log cannot be written, so nothing is executed', error);
    for (const { refused } of this.#waiting) refused?.(why);
    this.#waiting = this.#waiting.filter(
      ({ refused }, index) => index < this.#onTheWay || refused === undefined,
    );
  }

  /** After a failure nothing is tried until the time is up. */
  #isPaused(): boolean {
    return this.#retry !== undefined;
  }

  #resume(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
  }
}
