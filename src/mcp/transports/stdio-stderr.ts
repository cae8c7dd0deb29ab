import type { Readable } from 'node:stream';

import { LineRate } from './line-rate.js';
import { LineSplitter } from './line-splitter.js';
import { PacedPipe } from './paced-pipe.js';
import { ReadPacer } from './read-pacer.js';

const LINES_PER_SECOND = 100;
const LINE_BYTES = 4096;
const RECENT_BYTES = 64 * 1024;
/** Read no faster than this. A child that writes more waits for us, as it would for a slow terminal. */
const BYTES_PER_WINDOW = 256 * 1024;
const WINDOW_MS = 125;
/** Colours and cursor movements (CSI), titles and links (OSC), and the other sequences of a terminal. */
const TERMINAL_SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-Z^-~])/g;
/** Line breaks and tabs stay; so do joiners, which are part of letters. Includes marks that reorder text on screen. */
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g;

export interface StderrLogOptions {
  readonly stream: Readable;
  /** At most 100 lines a second, cut at 4 KiB. */
  readonly onLine: ((line: string) => void) | undefined;
  /** So many lines were not handed to `onLine`. */
  onDropped(count: number): void;
}

/** Keeps the end of what a child writes to stderr, which is free text and no sign of failure (stdio transport). */
export class StderrLog {
  readonly #options: StderrLogOptions;
  readonly #rate = new LineRate(LINES_PER_SECOND);
  readonly #lines: LineSplitter | undefined;
  readonly #pipe: PacedPipe;
  /** A ring: the oldest byte is at `#at` once it has wrapped. */
  #recent: Buffer | undefined;
  #at = 0;
  #wrapped = false;
  #windowBytes = 0;
  #window: NodeJS.Timeout | undefined;

  constructor(options: StderrLogOptions) {
    this.#options = options;
    const { stream, onLine } = options;
    if (onLine !== undefined) {
      this.#lines = new LineSplitter({ maxBytes: LINE_BYTES, onLine: (line) => this.#handOn(line, onLine) });
    }
    // At once, so that the last words of a child that ends are there for whoever asks why.
    stream.on('data', this.#take);
    this.#pipe = new PacedPipe({
      stream,
      pacer: new ReadPacer(),
      take: (bytes) => this.#lines?.push(bytes),
    });
    stream.once('end', () => {
      // Node resumes the pipes of a child that exits, so that the end may come before what was read is taken.
      this.#pipe.hurry();
      this.#lines?.end();
      this.#reportDropped();
      clearTimeout(this.#window);
    });
    stream.on('error', () => {});
  }

  /** The last 64 KiB, without control characters. */
  recent(): string {
    if (this.#recent === undefined) return '';
    const bytes = this.#wrapped
      ? Buffer.concat([this.#recent.subarray(this.#at), this.#recent.subarray(0, this.#at)])
      : this.#recent.subarray(0, this.#at);
    return toPlainText(bytes.subarray(startOfText(bytes)).toString('utf8'));
  }

  /** The child is about to end: its last words are handed on as soon as they are there. */
  hurry(): void {
    this.#pipe.hurry();
  }

  readonly #take = (chunk: Buffer): void => {
    this.#keep(chunk);
    this.#windowBytes += chunk.length;
    this.#window ??= setTimeout(this.#nextWindow, WINDOW_MS).unref();
    if (this.#windowBytes > BYTES_PER_WINDOW) this.#pipe.hold();
  };

  readonly #nextWindow = (): void => {
    this.#window = undefined;
    this.#windowBytes = 0;
    this.#pipe.release();
  };

  #keep(chunk: Buffer): void {
    const ring = (this.#recent ??= Buffer.allocUnsafeSlow(RECENT_BYTES));
    const tail = chunk.length > RECENT_BYTES ? chunk.subarray(chunk.length - RECENT_BYTES) : chunk;
    const copied = tail.copy(ring, this.#at);
    const rest = tail.copy(ring, 0, copied);
    this.#wrapped ||= this.#at + tail.length >= RECENT_BYTES;
    this.#at = rest > 0 ? rest : (this.#at + copied) % RECENT_BYTES;
  }

  #handOn(line: string, onLine: (line: string) => void): void {
    if (!this.#rate.take()) return;
    this.#reportDropped();
    onLine(toPlainText(line));
  }

  #reportDropped(): void {
    const dropped = this.#rate.takeDropped();
    if (dropped > 0) this.#options.onDropped(dropped);
  }
}

/** Without what acts on a terminal. */
export function toPlainText(text: string): string {
  return text.replace(TERMINAL_SEQUENCES, '').replace(CONTROLS, '');
}

/** The ring may begin inside a UTF-8 sequence, whose later bytes are 10xxxxxx. */
function startOfText(bytes: Buffer): number {
  let start = 0;
  while (start < 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return start;
}
