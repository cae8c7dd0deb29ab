import type { EventStream } from '../http/event-stream.js';
import type { StoredEvent } from './event-store.js';
import { ResumableStream } from './resumable-stream.js';

const STANDING = '-0';

/** The id of the standing stream of a session, of all streams that begin with the same prefix. */
export function standingId(prefix: string): string {
  return prefix + STANDING;
}

/** Whether a stream is, or was in another process, the standing one of its session. */
export function isStanding(id: string): boolean {
  return id.endsWith(STANDING);
}

/**
 * The one stream of a session for messages that belong to no request. While the client has not opened it, a bounded
 * number of messages waits; saying the same twice is of no use to anybody, so it waits once.
 */
export class StandingStream extends ResumableStream {
  #waiting: StoredEvent[] = [];

  override send(text: string, droppable: boolean): boolean {
    if (!this.connected && this.#waiting.some((event) => event.text === text)) return true;
    return super.send(text, droppable);
  }

  /** A client that knows nothing of this stream yet: it is given what waited. */
  open(connection: EventStream, prime: boolean): void {
    const waiting = this.#waiting.splice(0);
    this.attach(connection, false);
    if (prime) this.prime(connection, (waiting[0]?.seq ?? this.seq + 1) - 1);
    for (const { seq, text } of waiting) connection.replay(text, this.idAt(seq));
  }

  /** What waits goes another way. */
  takeWaiting(): readonly string[] {
    return this.#waiting.splice(0).map(({ text }) => text);
  }

  /** A client that came back, and was sent what it missed. */
  resume(connection: EventStream): void {
    this.#waiting = [];
    this.attach(connection, false);
  }

  protected override deliver(event: StoredEvent): void {
    if (this.connected) {
      super.deliver(event);
      return;
    }
    this.#waiting.push(event);
    if (this.#waiting.length <= this.core.limits.queuedChanges) return;
    this.#waiting.shift();
    this.core.observe({ type: 'notification_dropped', reason: 'queue' });
  }
}
