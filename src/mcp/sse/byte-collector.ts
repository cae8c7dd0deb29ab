import { isAscii, isUtf8 } from 'node:buffer';

const FIRST_CAPACITY = 4096;
const EMPTY = Buffer.alloc(0);

/**
 * Bytes that arrive in pieces. They are copied into one growing block: a list of the pieces would cost a hundred bytes
 * for each, and a peer can choose to send one byte at a time.
 */
export class ByteCollector {
  #block: Buffer = EMPTY;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Makes room for this many bytes in all. */
  reserve(capacity: number): void {
    if (capacity > this.#block.length) this.#grow(capacity);
  }

  append(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length;
    if (needed > this.#block.length) this.#grow(needed);
    this.#block.set(bytes, this.#length);
    this.#length = needed;
  }

  appendByte(byte: number): void {
    const needed = this.#length + 1;
    if (needed > this.#block.length) this.#grow(needed);
    this.#block[this.#length] = byte;
    this.#length = needed;
  }

  /** What was collected so far. Valid until the next call of any other method. */
  view(): Buffer {
    return this.#block.subarray(0, this.#length);
  }

  /** Hands the bytes over and starts afresh, holding no memory. */
  take(): Buffer {
    const bytes = this.view();
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#block = EMPTY;
    this.#length = 0;
  }

  #grow(needed: number): void {
    const block = Buffer.allocUnsafeSlow(Math.max(needed, this.#block.length * 2, FIRST_CAPACITY));
    block.set(this.view(), 0);
    this.#block = block;
  }
}

// Only ever given complete and valid text, it keeps nothing between calls. Of the decoders Node offers, the streaming
// one is by far the fastest on text that is not ASCII.
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });
const STREAMING = { stream: true };

/** The text of UTF-8 bytes, or undefined when they are not well-formed. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  if (isAscii(bytes)) return bytes.toString('latin1');
  return isUtf8(bytes) ? UTF8.decode(bytes, STREAMING) : undefined;
}
