import { hasWords, LONGEST_PROGRESS, ProgressReader, type ProgressRead } from './read-progress.js';

const UNNAMED = 'data: ';
const NAMED = `event: message\n${UNNAMED}`;
const LF = 0x0a;

/**
 * Takes progress notifications out of the text of an event stream, where each is an event of its own. Most differ from the
 * one before only in how far it is: then only that is read, and all else is compared.
 */
export class EventProgress {
  readonly #sink: { progress(progress: ProgressRead): boolean };
  readonly #reader = new ProgressReader();
  /** What the last event said before its number and after it; empty: there is none to compare with. */
  #before = '';
  #after = '';

  constructor(sink: { progress(progress: ProgressRead): boolean }) {
    this.#sink = sink;
  }

  /** Data of this length is within the bound on one event, so the bound need not be looked at for what is taken here. */
  static fits(maxDataBytes: number): boolean {
    return maxDataBytes >= LONGEST_PROGRESS;
  }

  /** Where the event that begins at `at` ends, if it is one of these and somebody wants it; else -1. */
  take(text: string, at: number): number {
    let end = this.#readSimilar(text, at);
    if (end === -1) end = this.#read(text, at);
    return end !== -1 && this.#sink.progress(this.#reader) ? end : -1;
  }

  #readSimilar(text: string, at: number): number {
    const before = this.#before;
    if (before === '' || !hasWords(text, at, before)) return -1;
    const after = this.#after;
    const numberEnd = this.#reader.readNumber(text, at + before.length);
    return numberEnd !== -1 && hasWords(text, numberEnd, after) ? numberEnd + after.length : -1;
  }

  #read(text: string, at: number): number {
    // Of one that cannot be read to its end the reader may have kept a part.
    this.#before = '';
    const isNamed = hasWords(text, at, NAMED);
    if (!isNamed && !hasWords(text, at, UNNAMED)) return -1;
    const reader = this.#reader;
    const end = reader.read(text, at + (isNamed ? NAMED.length : UNNAMED.length));
    if (end === -1 || text.charCodeAt(end) !== LF || text.charCodeAt(end + 1) !== LF) return -1;
    this.#before = text.slice(at, reader.numberStart);
    this.#after = text.slice(reader.numberEnd, end + 2);
    return end + 2;
  }
}
