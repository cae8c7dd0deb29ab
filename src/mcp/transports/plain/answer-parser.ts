import { ByteCollector } from '../../sse/index.js';
import { TransportError } from '../transport.js';
import { notHttp, readAnswerHead, type AnswerHead } from './answer-head.js';
import { ChunkedBody } from './chunked-body.js';

/** Takes an answer, part by part. */
export interface AnswerParts {
  head(head: AnswerHead): void;
  /** Bytes of the body; the caller's again after the call. */
  body(bytes: Buffer): void;
}

type Phase = 'head' | 'counted' | 'chunked' | 'until_end' | 'complete';

const BEGINNING = 'HTTP/1.';
const END_OF_HEAD = '\r\n\r\n';
/** As much as Node's own parser takes. */
const MAX_HEAD_BYTES = 16 * 1024;

/**
 * Reads answers from the bytes of one connection, one after another. Where a piece of them ends never changes what is
 * read. Throws `TransportError` for what is not HTTP/1.1; after that the connection is of no more use.
 */
export class AnswerParser {
  readonly #parts: AnswerParts;
  readonly #held = new ByteCollector();
  #phase: Phase = 'head';
  /** Bytes to come, where their number is known. */
  #left = 0;
  #chunks: ChunkedBody | undefined;
  /** Servers begin their answers with the same words again and again: their bytes, the empty line among them. */
  #knownBytes: Buffer | undefined;
  #knownHead: AnswerHead | undefined;

  constructor(parts: AnswerParts) {
    this.#parts = parts;
  }

  get isComplete(): boolean {
    return this.#phase === 'complete';
  }

  /** For the next answer. */
  reset(): void {
    this.#phase = 'head';
    this.#held.clear();
  }

  /** How many bytes belonged to the answer. */
  push(bytes: Buffer): number {
    let at = 0;
    while (this.#phase === 'head' && at < bytes.length) at = this.#readHead(bytes, at);
    if (at === bytes.length) return at;
    switch (this.#phase) {
      case 'counted':
        return this.#readCounted(bytes, at);
      case 'chunked':
        return this.#readChunks(bytes, at);
      case 'until_end':
        this.#parts.body(at === 0 ? bytes : bytes.subarray(at));
        return bytes.length;
      default:
        return at;
    }
  }

  /** The peer has closed the connection. Whether the answer is complete with that. */
  finish(): boolean {
    if (this.#phase === 'until_end') this.#phase = 'complete';
    return this.#phase === 'complete';
  }

  #readHead(bytes: Buffer, start: number): number {
    const before = this.#held.length;
    if (before === 0 && this.#knownHead !== undefined && this.#isKnown(bytes, start)) {
      this.#begin(this.#knownHead);
      return start + (this.#knownBytes?.length ?? 0);
    }
    const room = MAX_HEAD_BYTES - before;
    const found = before === 0 ? this.#headIn(bytes, start, room) : this.#headAcross(bytes, start, room);
    if (found === undefined) return bytes.length;
    const head = readAnswerHead(found.text);
    // An informational answer announces another.
    if (head.status === 101) throw notHttp();
    if (head.status >= 200) {
      if (before === 0) this.#know(head, bytes.subarray(start, found.next));
      this.#begin(head);
    }
    return found.next;
  }

  /** Comparing bytes costs a fraction of making text of them. */
  #isKnown(bytes: Buffer, start: number): boolean {
    const known = this.#knownBytes;
    if (known === undefined || bytes.length - start < known.length) return false;
    return bytes.compare(known, 0, known.length, start, start + known.length) === 0;
  }

  #know(head: AnswerHead, bytes: Buffer): void {
    if (this.#knownBytes?.length !== bytes.length) this.#knownBytes = Buffer.allocUnsafeSlow(bytes.length);
    bytes.copy(this.#knownBytes);
    this.#knownHead = head;
  }

  #headIn(bytes: Buffer, start: number, room: number): FoundHead | undefined {
    const text = bytes.toString('latin1', start, Math.min(bytes.length, start + room));
    const end = text.indexOf(END_OF_HEAD);
    if (end !== -1) return { text: text.slice(0, end), next: start + end + END_OF_HEAD.length };
    if (bytes.length - start >= room) throw headTooLarge();
    requireBeginning(text);
    this.#held.append(bytes.subarray(start));
    return undefined;
  }

  /** The head began in a piece that came earlier. */
  #headAcross(bytes: Buffer, start: number, room: number): FoundHead | undefined {
    const before = this.#held.length;
    this.#held.append(bytes.subarray(start, Math.min(bytes.length, start + room)));
    const text = this.#held.view().toString('latin1');
    // The empty line may have begun in the piece before.
    const end = text.indexOf(END_OF_HEAD, Math.max(0, before - END_OF_HEAD.length));
    if (end === -1) {
      if (bytes.length - start >= room) throw headTooLarge();
      requireBeginning(text);
      return undefined;
    }
    this.#held.clear();
    return { text: text.slice(0, end), next: start + end + END_OF_HEAD.length - before };
  }

  #begin(head: AnswerHead): void {
    const { framing } = head;
    if (framing === 'chunked') {
      this.#phase = 'chunked';
      this.#chunks = new ChunkedBody(this.#parts);
    } else if (framing === 'until_end') {
      this.#phase = 'until_end';
    } else {
      this.#phase = framing === 0 ? 'complete' : 'counted';
      this.#left = framing;
    }
    this.#parts.head(head);
  }

  #readCounted(bytes: Buffer, start: number): number {
    const end = Math.min(bytes.length, start + this.#left);
    this.#left -= end - start;
    if (this.#left === 0) this.#phase = 'complete';
    this.#parts.body(bytes.subarray(start, end));
    return end;
  }

  #readChunks(bytes: Buffer, start: number): number {
    const chunks = this.#chunks;
    if (chunks === undefined) return start;
    const end = chunks.push(bytes, start);
    if (chunks.isComplete) {
      this.#phase = 'complete';
      this.#chunks = undefined;
    }
    return end;
  }
}

interface FoundHead {
  readonly text: string;
  /** Where the bytes after it begin. */
  readonly next: number;
}

/** Whatever else it is, it need not be waited for. */
function requireBeginning(text: string): void {
  const length = Math.min(text.length, BEGINNING.length);
  if (text.slice(0, length) !== BEGINNING.slice(0, length)) throw notHttp();
}

function headTooLarge(): TransportError {
  return new TransportError('HTTP_BODY_TOO_LARGE', 'the head of the answer is too large');
}
