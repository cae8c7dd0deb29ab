const EVENTS_IN_STEP = 8;
const EVENT_LINES_IN_STEP = 32;
/** A line that is no message costs more than an event. */
const LINES_IN_STEP = 4;
/** Events and lines may be long: behind so many bytes the next end of one is the end of the step. */
const BYTES_IN_STEP = 1024;
/** So few are an answer with what belongs to it, however long it is. */
const FEW_EVENTS = 2;
const FEW_LINES = 8;
const LF = 0x0a;
const CR = 0x0d;

/**
 * Where the first few events of a stream end, or the bytes do. Events are told by their blank lines alone; of comments, and of data in
 * many lines, a step is some lines.
 */
export function endOfEvents(bytes: Buffer, from: number): number {
  let at = from;
  let events = 0;
  for (let lines = 1; ; lines++) {
    const end = bytes.indexOf(LF, at) + 1;
    if (end === 0) return endOfLongLine(bytes, at, from);
    const blank = lengthOfBlankLine(bytes, end);
    at = end + blank;
    if (blank > 0 && (++events === EVENTS_IN_STEP || at - from >= BYTES_IN_STEP)) return at;
    if (lines === EVENT_LINES_IN_STEP) return at;
  }
}

/** Where the first few lines end, or the bytes do. */
export function endOfLines(bytes: Buffer, from: number): number {
  let at = from;
  for (let lines = 0; lines < LINES_IN_STEP && at - from < BYTES_IN_STEP; lines++) {
    at = bytes.indexOf(LF, at) + 1;
    if (at === 0) return bytes.length;
  }
  return at;
}

/** Whether an event stream brings so little that it is passed on at once: few events, or a part of one. */
export function hasFewEvents(bytes: Buffer): boolean {
  let events = 0;
  let at = 0;
  for (let lines = 0; lines < FEW_LINES && events <= FEW_EVENTS; lines++) {
    const end = bytes.indexOf(LF, at) + 1;
    if (end === 0) return bytes.indexOf(CR, at) === -1;
    const blank = lengthOfBlankLine(bytes, end);
    if (blank > 0) events++;
    at = end + blank;
  }
  return at === bytes.length && events <= FEW_EVENTS;
}

export function hasFewLines(bytes: Buffer): boolean {
  let at = 0;
  for (let lines = 0; lines < FEW_EVENTS; lines++) {
    at = bytes.indexOf(LF, at) + 1;
    if (at === 0) return true;
  }
  return bytes.indexOf(LF, at) === -1;
}

function lengthOfBlankLine(bytes: Buffer, at: number): number {
  if (bytes[at] === LF) return 1;
  return bytes[at] === CR && bytes[at + 1] === LF ? 2 : 0;
}

/** To keep a part of a long line costs little. But CR alone ends lines too, and then it is many. */
function endOfLongLine(bytes: Buffer, at: number, from: number): number {
  const isOne = bytes.indexOf(CR, at) === -1;
  return isOne ? bytes.length : Math.min(bytes.length, Math.max(at, from + BYTES_IN_STEP));
}

/** Pieces of a stream that nobody has read yet. */
export class ReadBacklog {
  readonly #endOfStep: (bytes: Buffer, from: number) => number;
  readonly #pieces: Buffer[] = [];
  #at = 0;
  /** Serves one piece after another: a flood would otherwise leave as much garbage as it is long. */
  #room: Buffer | undefined;

  constructor(endOfStep: (bytes: Buffer, from: number) => number) {
    this.#endOfStep = endOfStep;
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  push(piece: Buffer): void {
    this.#pieces.push(piece);
  }

  /** The same for bytes whose place is used again. What `take` returned earlier is overwritten, if all of it was taken. */
  pushCopy(bytes: Buffer): void {
    if (!this.isEmpty) return this.push(Buffer.from(bytes));
    if (this.#room === undefined || this.#room.length < bytes.length)
      this.#room = Buffer.allocUnsafeSlow(bytes.length);
    bytes.copy(this.#room);
    this.push(this.#room.subarray(0, bytes.length));
  }

  /** The next few events or lines, or the rest of a piece. */
  take(): Buffer | undefined {
    const [piece] = this.#pieces;
    if (piece === undefined) return undefined;
    const from = this.#at;
    const end = this.#endOfStep(piece, from);
    this.#at = end;
    if (end === piece.length) {
      this.#pieces.shift();
      this.#at = 0;
    }
    return piece.subarray(from, end);
  }
}
