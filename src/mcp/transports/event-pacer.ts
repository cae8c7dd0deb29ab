/** Takes what has arrived in small steps. */
export interface Paced {
  /** One step. False: nothing is left. */
  step(): boolean;
}

export interface PacerOptions {
  /** Milliseconds that never go back. */
  readonly now?: () => number;
}

/** So long others may have to wait for us, where there are any. */
const SHORTEST_MS = 0.03;
/** Where nobody else had anything to do it costs less to yield seldom. */
const LONGEST_MS = 0.25;
/** Turns of the event loop that take less than this did nothing else. */
const EMPTY_TURN_MS = 0.02;

/**
 * Shares the event loop with the rest of the process: the event streams of one server are read for a moment in each turn, one
 * step of each after another, however much has arrived.
 */
export class EventPacer {
  readonly #now: () => number;
  #waiting: Paced[] = [];
  #budgetMs = SHORTEST_MS;
  #yieldedAt = Number.NEGATIVE_INFINITY;
  #isRunning = false;

  constructor({ now = () => performance.now() }: PacerOptions = {}) {
    this.#now = now;
  }

  add(paced: Paced): void {
    this.#waiting.push(paced);
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(this.#run);
  }

  readonly #run = (): void => {
    const startedAt = this.#now();
    this.#budgetMs =
      startedAt - this.#yieldedAt < EMPTY_TURN_MS ? Math.min(LONGEST_MS, 2 * this.#budgetMs) : SHORTEST_MS;
    do {
      const paced = this.#waiting.shift();
      if (paced === undefined) break;
      if (paced.step()) this.#waiting.push(paced);
    } while (this.#now() - startedAt < this.#budgetMs);
    this.#yieldedAt = this.#now();
    this.#isRunning = this.#waiting.length > 0;
    if (this.#isRunning) setImmediate(this.#run);
  };
}

const EVENTS_IN_STEP = 8;
const LF = 0x0a;
const CR = 0x0d;

/** Where the first few events of a stream end, or the bytes do. Events are told by their blank lines alone. */
export function endOfEvents(bytes: Buffer, from: number): number {
  let at = from;
  for (let events = 0; events < EVENTS_IN_STEP;) {
    const end = bytes.indexOf(LF, at) + 1;
    if (end === 0) return bytes.length;
    if (bytes[end] === LF || (bytes[end] === CR && bytes[end + 1] === LF)) events++;
    at = end;
  }
  // Behind the blank line, if it is there.
  return Math.min(bytes.length, at + (bytes[at] === CR ? 2 : 1));
}

/** Pieces of an event stream that nobody has read yet. */
export class EventBacklog {
  readonly #pieces: Buffer[] = [];
  #at = 0;

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  push(piece: Buffer): void {
    this.#pieces.push(piece);
  }

  /** The next few events, or the rest of a piece. */
  take(): Buffer | undefined {
    const [piece] = this.#pieces;
    if (piece === undefined) return undefined;
    const from = this.#at;
    const end = endOfEvents(piece, from);
    this.#at = end;
    if (end === piece.length) {
      this.#pieces.shift();
      this.#at = 0;
    }
    return piece.subarray(from, end);
  }
}
