import type { Core } from '../core.js';
import type { MessageStream, StreamConnection } from '../http/event-stream.js';
import { eventId } from './event-id.js';
import type { EventStore, SessionKey, StoredEvent } from './event-store.js';

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
  #seq = 0;
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

  send(text: string, droppable: boolean): boolean {
    if (this.#ended) return false;
    if (droppable && this.#connection?.slow === true) {
      this.core.observe({ type: 'notification_dropped', reason: 'slow' });
      return true;
    }
    const event: StoredEvent = { stream: this.id, seq: ++this.#seq, text };
    this.#keep(event);
    this.deliver(event);
    return true;
  }

  /** Takes the place of the connection there was. A connection that starts afresh is primed with the current position. */
  attach(connection: StreamConnection, prime: boolean): void {
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

  #keep(event: StoredEvent): void {
    try {
      const kept = this.#store?.append(this.#key, event);
      if (kept instanceof Promise) kept.catch((error: unknown) => this.#notKept(error));
    } catch (error) {
      this.#notKept(error);
    }
  }

  #notKept(error: unknown): void {
    this.core.observe({ type: 'port_failed', port: 'events', error });
  }
}
