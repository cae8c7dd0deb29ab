import { LONGEST_PROGRESS, ProgressReader, type ProgressRead } from './read-progress.js';

const UNNAMED = 'data: ';
const NAMED = `event: message\n${UNNAMED}`;
const LF = 0x0a;

/** Takes progress notifications out of the text of an event stream, where each is an event of its own. */
export class EventProgress {
  readonly #sink: { progress(progress: ProgressRead): boolean };
  readonly #reader = new ProgressReader();

  constructor(sink: { progress(progress: ProgressRead): boolean }) {
    this.#sink = sink;
  }

  /** Data of this length is within the bound on one event, so the bound need not be looked at for what is taken here. */
  static fits(maxDataBytes: number): boolean {
    return maxDataBytes >= LONGEST_PROGRESS;
  }

  /** Where the event that begins at `at` ends, if it is one of these and somebody wants it; else -1. */
  take(text: string, at: number): number {
    const isNamed = text.startsWith(NAMED, at);
    if (!isNamed && !text.startsWith(UNNAMED, at)) return -1;
    const end = this.#reader.read(text, at + (isNamed ? NAMED.length : UNNAMED.length));
    if (end === -1 || text.charCodeAt(end) !== LF || text.charCodeAt(end + 1) !== LF) return -1;
    return this.#sink.progress(this.#reader) ? end + 2 : -1;
  }
}
