import { isAscii } from 'node:buffer';
import { ByteCollector, decodeUtf8 } from './byte-collector.js';
import {
  endOfLine,
  isField,
  judgeBeginning,
  LONGEST_FIELD,
  requireShort,
  valueStart,
  type LineKind,
} from './field-line.js';
import { SseFault } from './sse-fault.js';

export interface SseEvent {
  /** `message` when the stream does not say. */
  readonly event: string;
  /** Empty for an event that only carries an id. */
  readonly data: string;
  /** The id given with this very event. */
  readonly id: string | undefined;
}

export interface SseDecoderOptions {
  /** Bound on the bytes of one event's data. */
  readonly maxDataBytes: number;
  readonly onEvent: (event: SseEvent) => void;
  /**
   * Offered each place in ASCII text where an event begins. Whoever knows the whole event that stands there, with its
   * blank line and without an id, takes it and says where the next begins; -1 leaves it to `onEvent`.
   */
  readonly take?: (text: string, at: number) => number;
  /** Asked about long data that arrives in pieces, with its first characters: true if nobody wants the event. */
  readonly skips?: (beginning: string) => boolean;
}

const LF = 10;
const UNKNOWN = -2;
const LOWER_D = 100;
const LOWER_E = 101;
const NUL = '\0';
const BOM: readonly number[] = [0xef, 0xbb, 0xbf];
/** So much of a long line says whether anybody wants it. */
const BEGINNING = 128;

/** What is known of a line that is not complete yet. Of skipped data only the size is. */
type Holding = 'nothing' | LineKind | 'skipped';

/**
 * Incremental decoder of `text/event-stream` (WHATWG HTML, section 9.2.6) working on bytes, so that a chunk may end
 * anywhere. Unlike a browser it also reports events without data when they carry an id: servers prime a stream with
 * such an event to make it resumable.
 *
 * A chunk is scanned as Latin-1 text, in which every index is also a byte index. Text that is all ASCII is then already
 * decoded; other data is decoded from its bytes.
 */
export class SseDecoder {
  readonly #maxDataBytes: number;
  readonly #onEvent: (event: SseEvent) => void;
  readonly #take: ((text: string, at: number) => number) | undefined;
  readonly #skips: ((beginning: string) => boolean) | undefined;
  #retryMs: number | undefined;
  #lastEventId: string | undefined;
  #sharedId = false;

  #bomMatched = 0;
  #atStart = true;
  #afterCr = false;
  #holding: Holding = 'nothing';
  readonly #held = new ByteCollector();

  // The event being read. The first line of data is kept as text, further ones make it bytes.
  #event: string | undefined;
  #id: string | undefined;
  #dataLines = 0;
  #dataBytes = 0;
  #firstLine = '';
  readonly #lines = new ByteCollector();
  /** Its data is not kept. */
  #isSkipped = false;

  constructor(options: SseDecoderOptions) {
    this.#maxDataBytes = options.maxDataBytes;
    this.#onEvent = options.onEvent;
    this.#take = options.take;
    this.#skips = options.skips;
  }

  /** The last `retry` of the stream, in milliseconds. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** The id of the last complete event that had one; an empty id takes it back. */
  get lastEventId(): string | undefined {
    return this.#lastEventId;
  }

  /** Throws `SseFault`. The chunk may be reused by the caller afterwards. */
  push(chunk: Uint8Array): void {
    let bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    if (this.#atStart) bytes = this.#skipBom(bytes);
    if (bytes.length === 0) return;
    if (this.#afterCr) {
      this.#afterCr = false;
      if (bytes[0] === LF) bytes = bytes.subarray(1);
    }
    if (this.#holding !== 'nothing') bytes = this.#continueLine(bytes);
    if (bytes.length > 0) this.#readLines(bytes);
    // A slice would keep the text of its whole chunk alive for as long as the id is remembered.
    if (this.#sharedId) this.#lastEventId = Buffer.from(this.#lastEventId ?? '').toString();
    this.#sharedId = false;
  }

  /**
   * The stream ended in order. The standard drops an event that lacks its closing blank line; here it is reported,
   * because servers that forget it exist and a half-written message does not parse anyway.
   */
  finish(): void {
    if (this.#holding !== 'nothing') this.#readHeldLine();
    this.#dispatch();
  }

  #skipBom(bytes: Buffer): Buffer {
    let at = 0;
    while (at < bytes.length && this.#bomMatched < BOM.length && bytes[at] === BOM[this.#bomMatched]) {
      this.#bomMatched++;
      at++;
    }
    if (this.#bomMatched < BOM.length) {
      if (at === bytes.length) return bytes.subarray(at);
      // Not a mark after all: what was taken for its beginning belongs to the first line.
      if (this.#bomMatched > 0) this.#hold(Buffer.from(BOM.slice(0, this.#bomMatched)));
    }
    this.#atStart = false;
    return bytes.subarray(at);
  }

  /** Completes the line that an earlier chunk began and returns what follows it. */
  #continueLine(bytes: Buffer): Buffer {
    const end = endOfLine(bytes);
    if (end === -1) {
      this.#hold(bytes);
      return bytes.subarray(bytes.length);
    }
    this.#hold(bytes.subarray(0, end));
    this.#readHeldLine();
    if (bytes[end] === LF) return bytes.subarray(end + 1);
    if (end + 1 === bytes.length) this.#afterCr = true;
    return bytes.subarray(bytes[end + 1] === LF ? end + 2 : end + 1);
  }

  /** The lines of one chunk; what follows the last line end is held for the next. */
  #readLines(bytes: Buffer): void {
    const text = bytes.toString('latin1');
    const ascii = isAscii(bytes);
    // The next line end of each kind, or -1. Looked for again only once it is behind: a stream that uses one kind alone
    // would otherwise have the rest of the chunk searched for the other at every line.
    let lf = UNKNOWN;
    let cr = UNKNOWN;
    let at = ascii ? this.#offer(text, 0) : 0;
    while (at < text.length) {
      if (text.charCodeAt(at) === LF) {
        this.#dispatch();
        at++;
        if (ascii) at = this.#offer(text, at);
        continue;
      }
      if (lf < at && lf !== -1) lf = text.indexOf('\n', at);
      if (cr < at && cr !== -1) cr = text.indexOf('\r', at);
      const endsWithCr = cr !== -1 && (lf === -1 || cr < lf);
      const end = endsWithCr ? cr : lf;
      if (end === -1) return this.#hold(bytes.subarray(at));
      if (end === at) this.#dispatch();
      else this.#field(bytes, text, ascii, at, end);
      at = end + 1;
      if (endsWithCr) {
        if (at === text.length) this.#afterCr = true;
        else if (text.charCodeAt(at) === LF) at++;
      }
    }
  }

  /** Where what nobody took begins. */
  #offer(text: string, start: number): number {
    const take = this.#take;
    if (take === undefined || this.#dataLines > 0 || this.#id !== undefined || this.#event !== undefined)
      return start;
    let at = start;
    for (let next = take(text, at); next !== -1; next = take(text, at)) at = next;
    return at;
  }

  /** One line that is neither empty nor unfinished. */
  #field(bytes: Buffer, text: string, ascii: boolean, start: number, end: number): void {
    const first = text.charCodeAt(start);
    if (first === LOWER_D && isField(text, 'data', start, end)) {
      this.#addData(bytes, text, ascii, valueStart(text, start + 4, end), end);
    } else if (first === LOWER_E && isField(text, 'event', start, end)) {
      requireShort(end - start);
      const from = valueStart(text, start + 5, end);
      // Nearly every event is called so: no need to make the word again each time.
      if (end - from === 7 && text.startsWith('message', from)) this.#event = 'message';
      else this.#event = end === from ? undefined : bytes.toString('utf8', from, end);
    } else if (isField(text, 'id', start, end)) {
      requireShort(end - start);
      const from = valueStart(text, start + 2, end);
      const id = ascii ? text.slice(from, end) : bytes.toString('utf8', from, end);
      if (!id.includes(NUL)) this.#id = id;
    } else if (isField(text, 'retry', start, end)) {
      requireShort(end - start);
      const digits = text.slice(valueStart(text, start + 5, end), end);
      if (/^[0-9]+$/.test(digits)) this.#retryMs = Math.min(Number(digits), Number.MAX_SAFE_INTEGER);
    }
  }

  #addData(bytes: Buffer, text: string, ascii: boolean, start: number, end: number): void {
    const size = end - start + (this.#dataLines === 0 ? 0 : 1);
    this.#dataBytes += size;
    if (this.#dataBytes > this.#maxDataBytes) throw this.#tooLarge();
    if (this.#isSkipped) return;
    if (this.#dataLines++ === 0) {
      this.#firstLine = ascii ? text.slice(start, end) : readable(bytes, start, end);
      return;
    }
    if (this.#dataLines === 2) {
      this.#lines.append(Buffer.from(this.#firstLine));
      this.#firstLine = '';
    }
    this.#lines.appendByte(LF);
    this.#lines.append(bytes.subarray(start, end));
  }

  #dispatch(): void {
    const id = this.#id;
    if (this.#isSkipped) {
      this.#isSkipped = false;
      this.#dataBytes = 0;
    }
    if (id !== undefined) {
      this.#lastEventId = id === '' ? undefined : id;
      this.#sharedId = id !== '';
    } else if (this.#dataLines === 0) {
      this.#event = undefined;
      return;
    }
    const event = this.#event ?? 'message';
    const lines = this.#dataLines > 1 ? this.#lines.take() : undefined;
    const data = lines === undefined ? this.#firstLine : readable(lines, 0, lines.length);
    this.#event = undefined;
    this.#id = undefined;
    this.#dataLines = 0;
    this.#dataBytes = 0;
    this.#firstLine = '';
    this.#onEvent({ event, data, id });
  }

  /** Keeps the beginning of a line for later, if the line can matter. */
  #hold(bytes: Buffer): void {
    if (this.#holding === 'ignored') return;
    if (this.#holding === 'skipped') return this.#skip(bytes.length);
    let rest = bytes;
    if (this.#holding === 'nothing' || this.#holding === 'undecided') {
      const wanted = LONGEST_FIELD - this.#held.length;
      this.#held.append(rest.subarray(0, wanted));
      rest = rest.subarray(wanted);
      this.#holding = judgeBeginning(this.#held.view().toString('latin1'));
      if (this.#holding === 'ignored') return this.#held.clear();
    }
    const size = this.#held.length + rest.length;
    if (this.#holding === 'data') {
      // The held bytes include `data: `.
      if (this.#dataBytes + size - LONGEST_FIELD > this.#maxDataBytes) throw this.#tooLarge();
      const before = this.#held.length;
      this.#held.append(before < BEGINNING ? rest.subarray(0, BEGINNING) : rest);
      if (before >= BEGINNING) return;
      if (this.#isUnwanted()) {
        this.#held.clear();
        this.#holding = 'skipped';
        this.#isSkipped = true;
        this.#skip(size - LONGEST_FIELD);
      } else {
        this.#held.append(rest.subarray(BEGINNING));
      }
      return;
    }
    requireShort(size);
    this.#held.append(rest);
  }

  /** Whether what is held begins an event of long data that nobody wants. */
  #isUnwanted(): boolean {
    if (this.#skips === undefined || this.#dataLines > 0 || this.#held.length < BEGINNING) return false;
    const line = this.#held.view().toString('latin1', 0, BEGINNING);
    return this.#skips(line.slice(valueStart(line, LONGEST_FIELD - 2, BEGINNING)));
  }

  #skip(bytes: number): void {
    this.#dataBytes += bytes;
    if (this.#dataBytes > this.#maxDataBytes) throw this.#tooLarge();
  }

  #readHeldLine(): void {
    const isSkipped = this.#holding === 'skipped';
    this.#holding = 'nothing';
    if (isSkipped) return;
    const line = this.#held.take();
    if (line.length > 0) this.#field(line, line.toString('latin1'), isAscii(line), 0, line.length);
  }

  #tooLarge(): SseFault {
    return new SseFault('data_too_large', `the data of one event exceeds ${this.#maxDataBytes} bytes`);
  }
}

function readable(bytes: Buffer, start: number, end: number): string {
  const text = decodeUtf8(bytes.subarray(start, end));
  if (text === undefined) throw new SseFault('not_utf8', 'the data of an event is not valid UTF-8');
  return text;
}
