import type { RequestId } from '../../jsonrpc/index.js';
import type { Core } from '../core.js';
import type { MessageStream, StreamConnection } from '../http/event-stream.js';
import { eventId } from './event-id.js';
import { EventRun } from './event-run.js';
import type { EventStore, SessionKey, StoredEvent } from './event-store.js';
import { promiseOf } from './lost-answers.js';

/** So that what waits to be said is little, whatever is said at once. */
const MOST_UNSAID = 64;
const MOST_UNSAID_LENGTH = 16 * 1024;
const NOW = Promise.resolve();

/**
 * A stream of messages to one client that outlives its connection. What is sent while nobody is connected, and what
 * was sent to a connection that broke, can be fetched later.
 */
export class ResumableStream implements MessageStream {
  readonly id: string;
  /** Called once when nothing more will be sent. */
  onEnd: (() => void) | undefined;
  protected readonly core: Core;
  readonly #store: EventStore | undefined;
  readonly #key: SessionKey;
  /** Counts what is not said yet too. */
  #seq = 0;
  /** What may wait until all that comes at once is there. */
  #unsaid: string[] = [];
  #unsaidLength = 0;
  #connection: StreamConnection | undefined;
  #ended = false;

  constructor(core: Core, store: EventStore | undefined, key: SessionKey, id: string) {
    this.core = core;
    this.#store = store;
    this.#key = key;
    this.id = id;
  }

  /** The position of the last message. */
  get seq(): number {
    return this.#seq;
  }

  get connected(): boolean {
    return this.#connection?.open === true;
  }

  isOn(connection: StreamConnection): boolean {
    return this.#connection === connection;
  }

  /** For other processes, should this one be killed: what is answered here. */
  promise(ids: readonly RequestId[]): void {
    this.#keep(promiseOf(this.id, ids));
  }

  send(text: string, droppable: boolean): boolean {
    if (this.#ended) return false;
    if (droppable && this.#connection?.slow === true) {
      this.core.observe({ type: 'notification_dropped', reason: 'slow' });
      return true;
    }
    if (droppable && this.#store?.appendRun !== undefined && text.length < MOST_UNSAID_LENGTH) {
      this.#gather(text);
      return true;
    }
    this.say();
    this.#seq++;
    this.#sayOne(text, this.#seq);
    return true;
  }

  /** What was sent is kept, and on its way to the client. Called before others look at what is kept. */
  say(): void {
    const texts = this.#unsaid;
    if (texts.length === 0) return;
    this.#unsaid = [];
    this.#unsaidLength = 0;
    const firstSeq = this.#seq - texts.length + 1;
    if (texts.length === 1 || !this.connected) {
      texts.forEach((text, index) => this.#sayOne(text, firstSeq + index));
      return;
    }
    const run = new EventRun(this.id, firstSeq, texts);
    this.#keep(run);
    this.#connection?.sendRun(run);
  }

  /** Takes the place of the connection there was. A connection that starts afresh is primed with the current position. */
  attach(connection: StreamConnection, prime: boolean): void {
    this.say();
    const before = this.#connection;
    this.#connection = connection;
    before?.end();
    if (prime) this.prime(connection, this.#seq);
  }

  detach(connection: StreamConnection): void {
    if (this.#connection === connection) this.#connection = undefined;
  }

  /** Ends the connection, not the stream. */
  disconnect(): void {
    this.say();
    this.#connection?.end();
    this.#connection = undefined;
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.disconnect();
    this.onEnd?.();
  }

  protected deliver(event: StoredEvent): void {
    this.#connection?.send(event.text, false, this.idAt(event.seq));
  }

  /** Where nothing is kept, ids would promise what cannot be held. */
  protected idAt(seq: number): string | undefined {
    return this.#store === undefined ? undefined : eventId(this.id, seq);
  }

  protected prime(connection: StreamConnection, seq: number): void {
    if (this.#store !== undefined) connection.prime(eventId(this.id, seq), this.core.retryMs);
  }

  /** Progress often comes many steps at a time, and each on its own would cost several times as much. */
  #gather(text: string): void {
    this.#seq++;
    this.#unsaidLength += text.length;
    const count = this.#unsaid.push(text);
    if (count === MOST_UNSAID || this.#unsaidLength >= MOST_UNSAID_LENGTH) this.say();
    else if (count === 1) void NOW.then(() => this.say());
  }

  #sayOne(text: string, seq: number): void {
    const event: StoredEvent = { stream: this.id, seq, text };
    this.#keep(event);
    this.deliver(event);
  }

  #keep(said: StoredEvent | EventRun): void {
    const store = this.#store;
    const key = this.#key;
    try {
      const kept = said instanceof EventRun ? store?.appendRun?.(key, said) : store?.append(key, said);
      if (kept instanceof Promise) kept.catch((error: unknown) => this.#notKept(error));
    } catch (error) {
      this.#notKept(error);
    }
  }

  #notKept(error: unknown): void {
    this.core.observe({ type: 'port_failed', port: 'events', error });
  }
}
