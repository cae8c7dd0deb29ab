import type { Readable } from 'node:stream';
import { endOfLines, hasFewLines, ReadBacklog } from './read-backlog.js';
import type { Paced, ReadPacer } from './read-pacer.js';

export interface PacedPipeOptions {
  readonly stream: Readable;
  readonly pacer: ReadPacer;
  /** Whole lines, or parts of long ones. */
  readonly take: (bytes: Buffer) => void;
}

/** Of a line that comes in several reads each is longer. */
const LONG_PIECE = 16 * 1024;

/** Lines of a process. Of many that come at once only few are taken in one turn of the event loop; the pipe is not read meanwhile. */
export class PacedPipe implements Paced {
  readonly #options: PacedPipeOptions;
  #backlog = new ReadBacklog(endOfLines);
  #isPaced = true;
  #isHeld = false;
  #isOver = false;

  constructor(options: PacedPipeOptions) {
    this.#options = options;
    options.stream.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  step(): boolean {
    const bytes = this.#backlog.take();
    if (bytes !== undefined) this.#options.take(bytes);
    this.#resume();
    return !this.#backlog.isEmpty;
  }

  /** Reads nothing until `release`. What was read before is still taken. */
  hold(): void {
    this.#isHeld = true;
    this.#options.stream.pause();
  }

  release(): void {
    this.#isHeld = false;
    this.#resume();
  }

  /** Takes at once what was read already, and whatever comes from now on: the process is about to end. */
  hurry(): void {
    this.#isPaced = false;
    for (let bytes = this.#backlog.take(); bytes !== undefined; bytes = this.#backlog.take())
      this.#options.take(bytes);
    this.#resume();
  }

  /** Takes at once what was read already, and nothing after it. */
  finish(): void {
    if (this.#isOver) return;
    this.hurry();
    // What the stream still holds comes as `data`.
    if (!this.#options.stream.destroyed) this.#options.stream.read();
    this.stop();
  }

  /** Takes nothing more. The process may go on writing. */
  stop(): void {
    this.#isOver = true;
    this.#backlog = new ReadBacklog(endOfLines);
    this.release();
  }

  #read(chunk: Buffer): void {
    if (this.#isOver) return;
    const { stream, pacer, take } = this.#options;
    if (!this.#backlog.isEmpty) {
      // Somebody else resumed it, as Node does when the process exits.
      stream.pause();
      this.#backlog.push(chunk);
    } else if (!this.#isPaced || pacer.admits(chunk.length)) {
      take(chunk);
    } else {
      const isFew = hasFewLines(chunk);
      if (isFew) take(chunk);
      else this.#backlog.push(chunk);
      // To read a long piece costs more than to look at it.
      if (isFew && chunk.length < LONG_PIECE) return;
      stream.pause();
      pacer.add(this, chunk.length);
    }
  }

  #resume(): void {
    if (!this.#isHeld && this.#backlog.isEmpty) this.#options.stream.resume();
  }
}
