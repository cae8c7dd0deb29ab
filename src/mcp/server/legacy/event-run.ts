/** What is within it counts as said at the same time. */
const MOMENT_MS = 1;
/** Dropped events of a run stay in memory until all are, so it has bounds. */
const MOST_EVENTS = 64;
const MOST_LENGTH = 16 * 1024;

/**
 * Events that were said of one stream right after one another: one entry in the books instead of one for each, and one
 * text once there will be no more of them.
 */
export class EventRun {
  readonly stream: string;
  readonly at: number;
  readonly firstSeq: number;
  /** In order; of those before `#dropped` only the number is of interest. */
  #texts: string[] | undefined;
  #joined = '';
  /** Where each text ends in the joined one. */
  #ends: number[] = [];
  #count = 1;
  #length: number;
  #dropped = 0;

  constructor(stream: string, at: number, firstSeq: number, text: string) {
    this.stream = stream;
    this.at = at;
    this.firstSeq = firstSeq;
    this.#texts = [text];
    this.#length = text.length;
  }

  get isEmpty(): boolean {
    return this.#dropped === this.#count;
  }

  /** Whether this event is the next one, and of the same moment. */
  isFollowedBy(stream: string, seq: number, now: number): boolean {
    return (
      this.#texts !== undefined &&
      this.#count < MOST_EVENTS &&
      this.#length < MOST_LENGTH &&
      this.stream === stream &&
      this.firstSeq + this.#count === seq &&
      now - this.at < MOMENT_MS
    );
  }

  add(text: string): void {
    this.#texts?.push(text);
    this.#length += text.length;
    this.#count++;
  }

  /** No more will be added. Many small texts are dearer to keep than a large one. */
  close(): void {
    const texts = this.#texts;
    if (texts === undefined || texts.length === 1) return;
    let end = 0;
    for (const text of texts) this.#ends.push((end += text.length));
    this.#joined = texts.join('');
    this.#texts = undefined;
  }

  /** The length of the oldest text, which is gone with that. */
  dropFirst(): number {
    const index = this.#dropped++;
    if (this.#texts === undefined) return this.#endAt(index) - this.#endAt(index - 1);
    const { length } = this.#texts[index] ?? '';
    this.#texts[index] = '';
    return length;
  }

  /** Each that is left and later than a position. */
  forEach(afterSeq: number, visit: (seq: number, text: string) => void): void {
    for (let index = Math.max(this.#dropped, afterSeq + 1 - this.firstSeq); index < this.#count; index++)
      visit(this.firstSeq + index, this.#textAt(index));
  }

  #textAt(index: number): string {
    return this.#texts?.[index] ?? this.#joined.slice(this.#endAt(index - 1), this.#endAt(index));
  }

  #endAt(index: number): number {
    return index < 0 ? 0 : (this.#ends[index] ?? 0);
  }
}
