import { writeMessageEvents } from '../../sse/index.js';
import type { MessageRun } from '../http/event-stream.js';
import { eventId } from './event-id.js';
import type { StoredRun } from './event-store.js';

/**
 * Events of one stream that were said at once. They are one text, as it goes to the client, from which each can be taken
 * again: many small texts would be dearer to write, and to keep.
 */
export class EventRun implements StoredRun, MessageRun {
  readonly stream: string;
  readonly firstSeq: number;
  readonly wire: string;
  /** Where the message of each event begins and ends, in turn. */
  readonly #bounds: readonly number[];

  constructor(stream: string, firstSeq: number, messages: readonly string[]) {
    const { text, bounds } = writeMessageEvents(messages, eventId(stream, ''), firstSeq);
    this.stream = stream;
    this.firstSeq = firstSeq;
    this.wire = text;
    this.#bounds = bounds;
  }

  get count(): number {
    return this.#bounds.length / 2;
  }

  idAt(index: number): string {
    return eventId(this.stream, this.firstSeq + index);
  }

  textAt(index: number): string {
    return this.wire.slice(this.#bounds[index * 2], this.#bounds[index * 2 + 1]);
  }

  lengthAt(index: number): number {
    return (this.#bounds[index * 2 + 1] ?? 0) - (this.#bounds[index * 2] ?? 0);
  }
}

/** The same for one event, as it is. */
export class SingleEvent implements StoredRun {
  readonly stream: string;
  readonly firstSeq: number;
  readonly count = 1;
  readonly #text: string;

  constructor(stream: string, seq: number, text: string) {
    this.stream = stream;
    this.firstSeq = seq;
    this.#text = text;
  }

  textAt(): string {
    return this.#text;
  }

  lengthAt(): number {
    return this.#text.length;
  }
}
