import { isAscii } from 'node:buffer';
import { ByteCollector, decodeUtf8 } from './byte-collector.js';

export interface SseEvent {
  /** `message` when the stream does not say. */
  readonly event: string;
  /** Empty for an event that only carries an id. */
  readonly data: string;
  /** The id given with this very event. */
  readonly id: string | undefined;
}

export type SseFaultKind = 'data_too_large' | 'line_too_long' | 'not_utf8';

/** The stream broke a bound or the encoding. The decoder must not be fed any further. */
export class SseFault extends Error {
  override readonly name = 'SseFault';
  readonly kind: SseFaultKind;
  constructor(kind: SseFaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
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
}

const LF = 10;
const CR = 13;
const SPACE = 32;
const COLON = 58;
const UNKNOWN = -2;
const LOWER_D = 100;
const LOWER_E = 101;
const NUL = '\0';
const BOM: readonly number[] = [0xef, 0xbb, 0xbf];
const LONGEST_FIELD = 'event:'.length;
/** `event`, `id` and `retry` have no business being longer. Comments and unknown fields are never kept at all. */
const MAX_FIELD_LINE = 16 * 1024;

/** What the beginning of a line that is not complete yet tells about it. */
type Holding = 'nothing' | 'undecided' | 'data' | 'field' | 'ignored';

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

  constructor(options: SseDecoderOptions) {
    this.#maxDataBytes = options.maxDataBytes;
    this.#onEvent = options.onEvent;
    this.#take = options.take;
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
    } else {
      requireShort(size);
    }
    this.#held.append(rest);
  }

  #readHeldLine(): void {
    this.#holding = 'nothing';
    const line = this.#held.take();
    if (line.length > 0) this.#field(line, line.toString('latin1'), isAscii(line), 0, line.length);
  }

  #tooLarge(): SseFault {
    return new SseFault('data_too_large', `the data of one event exceeds ${this.#maxDataBytes} bytes`);
  }
}

/** The bound holds for a line that came at once as for one that came in pieces. */
function requireShort(lineBytes: number): void {
  if (lineBytes > MAX_FIELD_LINE) {
    throw new SseFault('line_too_long', `a line of the event stream exceeds ${MAX_FIELD_LINE} bytes`);
  }
}

function endOfLine(bytes: Buffer): number {
  const lf = bytes.indexOf(LF);
  const cr = (lf === -1 ? bytes : bytes.subarray(0, lf)).indexOf(CR);
  return cr === -1 ? lf : cr;
}

function isField(text: string, name: string, start: number, end: number): boolean {
  if (!text.startsWith(name, start)) return false;
  const after = start + name.length;
  return after === end || (after < end && text.charCodeAt(after) === COLON);
}

/** Where the value begins, given where the colon is or, without one, the line ends. One leading space is not part of it. */
function valueStart(text: string, colon: number, end: number): number {
  if (colon >= end) return end;
  return colon + 1 < end && text.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1;
}

function readable(bytes: Buffer, start: number, end: number): string {
  const text = decodeUtf8(bytes.subarray(start, end));
  if (text === undefined) throw new SseFault('not_utf8', 'the data of an event is not valid UTF-8');
  return text;
}

function judgeBeginning(begun: string): Holding {
  const colon = begun.indexOf(':');
  if (colon === -1) {
    const open = begun.length < LONGEST_FIELD;
    return open && ['data', 'event', 'id', 'retry'].some((name) => name.startsWith(begun))
      ? 'undecided'
      : 'ignored';
  }
  const name = begun.slice(0, colon);
  if (name === 'data') return 'data';
  return name === 'event' || name === 'id' || name === 'retry' ? 'field' : 'ignored';
}
