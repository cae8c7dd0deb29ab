import type { EventStream, MessageRun, StreamConnection } from '../http/event-stream.js';
import { parseEventId } from './event-id.js';
import type { StoredEvent } from './event-store.js';

/** Here the stream runs; its client is connected to another process, which is told everything. */
export class RemoteConnection implements StreamConnection {
  readonly slow = false;
  readonly #tell: (event: { readonly id: string; readonly text: string } | undefined) => void;
  #open = true;

  constructor(tell: (event: { readonly id: string; readonly text: string } | undefined) => void) {
    this.#tell = tell;
  }

  get open(): boolean {
    return this.#open;
  }

  send(text: string, _droppable: boolean, id?: string): boolean {
    if (!this.#open) return false;
    // Without an id it could not be told from a repetition; streams that are taken up again have them.
    if (id !== undefined) this.#tell({ id, text });
    return true;
  }

  sendRun(run: MessageRun): void {
    for (let i = 0; i < run.count; i++) this.send(run.textAt(i), false, run.idAt(i));
  }

  prime(): void {}

  end(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#tell(undefined);
  }

  /** The other process has nobody to tell any more. */
  gone(): void {
    this.#open = false;
  }
}

/** Here the client is connected; its stream runs in another process. What arrives before all that was missed waits. */
export class FollowedStream {
  #early: StoredEvent[] | undefined = [];
  #connection: EventStream | undefined;
  #seq = 0;
  #ended = false;

  begin(connection: EventStream, seq: number): void {
    this.#connection = connection;
    this.#seq = seq;
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const event of early) this.#pass(event);
    if (this.#ended) connection.end();
  }

  event(id: string, text: string): void {
    const position = parseEventId(id);
    if (position === undefined) return;
    const event = { ...position, text };
    if (this.#early === undefined) this.#pass(event);
    else this.#early.push(event);
  }

  end(): void {
    this.#ended = true;
    this.#connection?.end();
  }

  #pass({ stream, seq, text }: StoredEvent): void {
    if (seq <= this.#seq) return;
    if (seq !== this.#seq + 1) {
      // Something is missing: the client comes back for it.
      this.end();
      return;
    }
    this.#seq = seq;
    this.#connection?.send(text, false, `${stream}.${seq}`);
  }
}
