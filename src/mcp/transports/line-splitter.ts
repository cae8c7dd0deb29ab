const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const BLOCK_BYTES = 64 * 1024;
/** So much of a long line says whether anybody wants it. */
const BEGINNING = 128;

export interface LineSplitterOptions {
  /** Longest line, without its line end. */
  readonly maxBytes: number;
  /** A line without its line end; never blank. */
  readonly onLine: (line: string) => void;
  /** Called once for a line over the limit; nothing follows. Without it, such a line is cut at the limit. */
  readonly onTooLong?: () => void;
  /** Asked about a long line that arrives in pieces, with its first characters: true if nobody wants it. */
  readonly skips?: (beginning: string) => boolean;
}

/**
 * Cuts a stream of bytes into lines. Works on bytes, so a chunk border inside a UTF-8 sequence does no harm, and the
 * unfinished line is copied into blocks of its own: a peer that trickles single bytes cannot make us keep a million
 * small buffers. Holds at most the limit and one block.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #onLine: (line: string) => void;
  readonly #onTooLong: (() => void) | undefined;
  readonly #skips: ((beginning: string) => boolean) | undefined;
  /** The unfinished line. All blocks but the last are full. */
  #blocks: Buffer[] = [];
  #held = 0;
  /** The rest of the line is not wanted. */
  #skipping = false;
  /** How much of it went by, where that is bounded still. */
  #skipped = 0;
  #stopped = false;

  constructor(options: LineSplitterOptions) {
    this.#maxBytes = options.maxBytes;
    this.#onLine = options.onLine;
    this.#onTooLong = options.onTooLong;
    this.#skips = options.skips;
  }

  /** Bytes of memory kept for an unfinished line. */
  get heldBytes(): number {
    return this.#blocks.reduce((sum, block) => sum + block.length, 0);
  }

  push(chunk: Buffer): void {
    let from = 0;
    while (!this.#stopped) {
      const newline = chunk.indexOf(NEWLINE, from);
      if (newline === -1) break;
      this.#finish(chunk, from, newline);
      from = newline + 1;
    }
    if (this.#stopped || from === chunk.length) return;
    if (this.#skipping) this.#skip(chunk.length - from);
    else if (this.#isUnwanted(chunk, from)) this.#beginSkipping(chunk.length - from);
    else this.#hold(chunk, from, chunk.length);
  }

  /** The stream is over; what is left counts as a line although its line end is missing. */
  end(): void {
    if (!this.#stopped && this.#held > 0) this.#emitHeld();
    this.stop();
  }

  /** No more calls from now on, not even for lines of a chunk in work. */
  stop(): void {
    this.#stopped = true;
    this.#blocks = [];
    this.#held = 0;
  }

  #finish(chunk: Buffer, from: number, newline: number): void {
    if (this.#skipping) {
      this.#skip(newline - from);
      this.#skipping = false;
    } else if (this.#held === 0 && newline - from <= this.#maxBytes) {
      this.#emit(chunk, from, newline);
    } else {
      this.#hold(chunk, from, newline);
      // A line cut here has its line end already: the next one begins.
      if (this.#skipping) this.#skipping = false;
      else if (!this.#stopped) this.#emitHeld();
    }
  }

  /** Whether nobody wants the line of which this is the first, long part. */
  #isUnwanted(chunk: Buffer, from: number): boolean {
    if (this.#skips === undefined || this.#held > 0 || chunk.length - from < BEGINNING) return false;
    return this.#skips(chunk.toString('latin1', from, from + BEGINNING));
  }

  #beginSkipping(bytes: number): void {
    this.#skipping = true;
    this.#skipped = 0;
    this.#skip(bytes);
  }

  #skip(bytes: number): void {
    this.#skipped += bytes;
    if (this.#skipped > this.#maxBytes && this.#onTooLong !== undefined) this.#endTooLong(this.#onTooLong);
  }

  #endTooLong(onTooLong: () => void): void {
    this.stop();
    onTooLong();
  }

  #hold(chunk: Buffer, from: number, to: number): void {
    const room = this.#maxBytes - this.#held;
    if (to - from <= room) {
      this.#append(chunk, from, to);
      return;
    }
    if (this.#onTooLong !== undefined) return this.#endTooLong(this.#onTooLong);
    this.#append(chunk, from, from + room);
    this.#emitHeld();
    this.#skipping = true;
  }

  #append(chunk: Buffer, from: number, to: number): void {
    const blockBytes = Math.min(BLOCK_BYTES, this.#maxBytes);
    for (let at = from; at < to;) {
      const used = this.#held % blockBytes;
      const index = (this.#held - used) / blockBytes;
      const block = (this.#blocks[index] ??= Buffer.allocUnsafeSlow(blockBytes));
      const copied = chunk.copy(block, used, at, to);
      at += copied;
      this.#held += copied;
    }
  }

  #emitHeld(): void {
    const held = this.#held;
    const [first, ...more] = this.#blocks;
    // The first block stays for the next line; a long line's memory is given back.
    this.#blocks = first === undefined ? [] : [first];
    this.#held = 0;
    if (first === undefined) return;
    this.#emit(held <= first.length ? first : Buffer.concat([first, ...more], held), 0, held);
  }

  #emit(bytes: Buffer, from: number, to: number): void {
    const end = to > from && bytes[to - 1] === CARRIAGE_RETURN ? to - 1 : to;
    if (end === from) return;
    const line = bytes.toString('utf8', from, end);
    if (line.charCodeAt(0) > SPACE || line.trim() !== '') this.#onLine(line);
  }
}
