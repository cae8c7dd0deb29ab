import { notHttp } from './answer-head.js';

type Phase = 'size' | 'extension' | 'size_end' | 'data' | 'data_cr' | 'data_lf' | 'trailer' | 'complete';

/** More than any body may have, and far from what a number cannot hold. */
const MAX_SIZE_DIGITS = 8;
const MAX_EXTENSION_BYTES = 1024;
const MAX_TRAILER_BYTES = 16 * 1024;
const CR = 0x0d;
const LF = 0x0a;
const SEMICOLON = 0x3b;

/** A body in chunks (RFC 9112, section 7.1). Extensions and trailers are skipped, within bounds. */
export class ChunkedBody {
  readonly #sink: { body(bytes: Buffer): void };
  #phase: Phase = 'size';
  #size = 0;
  #digits = 0;
  #skipped = 0;
  /** Where in an empty line the trailer section is: nothing of it, its CR, or within another line. */
  #line: 'start' | 'start_cr' | 'inside' | 'inside_cr' = 'start';

  constructor(sink: { body(bytes: Buffer): void }) {
    this.#sink = sink;
  }

  get isComplete(): boolean {
    return this.#phase === 'complete';
  }

  /** Reads from `start`; gives where the body, or what is there of it, ends. Throws `TransportError`. */
  push(bytes: Buffer, start: number): number {
    let at = start;
    while (at < bytes.length && this.#phase !== 'complete') {
      if (this.#phase === 'data') at = this.#readData(bytes, at);
      else this.#readByte(bytes[at++] ?? 0);
    }
    return at;
  }

  #readData(bytes: Buffer, start: number): number {
    const end = Math.min(bytes.length, start + this.#size);
    this.#size -= end - start;
    if (this.#size === 0) this.#phase = 'data_cr';
    this.#sink.body(bytes.subarray(start, end));
    return end;
  }

  #readByte(byte: number): void {
    switch (this.#phase) {
      case 'size':
        return this.#readSize(byte);
      case 'extension':
        if (byte === CR) this.#phase = 'size_end';
        else if (++this.#skipped > MAX_EXTENSION_BYTES || !isText(byte)) throw notHttp();
        return;
      case 'size_end':
        requireByte(byte, LF);
        this.#phase = this.#size === 0 ? 'trailer' : 'data';
        this.#skipped = 0;
        return;
      case 'data_cr':
        requireByte(byte, CR);
        this.#phase = 'data_lf';
        return;
      case 'data_lf':
        requireByte(byte, LF);
        this.#phase = 'size';
        this.#digits = 0;
        return;
      default:
        return this.#readTrailer(byte);
    }
  }

  #readSize(byte: number): void {
    const digit = hexDigit(byte);
    if (digit !== -1) {
      if (++this.#digits > MAX_SIZE_DIGITS) throw notHttp();
      this.#size = this.#size * 16 + digit;
      return;
    }
    if (this.#digits === 0) throw notHttp();
    this.#skipped = 0;
    if (byte === CR) this.#phase = 'size_end';
    else if (byte === SEMICOLON) this.#phase = 'extension';
    else throw notHttp();
  }

  #readTrailer(byte: number): void {
    if (++this.#skipped > MAX_TRAILER_BYTES) throw notHttp();
    switch (this.#line) {
      case 'start':
        if (byte === CR) this.#line = 'start_cr';
        else if (isText(byte)) this.#line = 'inside';
        else throw notHttp();
        return;
      case 'start_cr':
        requireByte(byte, LF);
        this.#phase = 'complete';
        return;
      case 'inside':
        if (byte === CR) this.#line = 'inside_cr';
        else if (!isText(byte)) throw notHttp();
        return;
      case 'inside_cr':
        requireByte(byte, LF);
        this.#line = 'start';
        return;
    }
  }
}

function requireByte(byte: number, expected: number): void {
  if (byte !== expected) throw notHttp();
}

function isText(byte: number): boolean {
  return byte === 0x09 || (byte >= 0x20 && byte !== 0x7f);
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
