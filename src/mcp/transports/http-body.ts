import { ByteCollector } from '../sse/index.js';

/** A peer is not believed more than this before it has sent it. */
const MOST_EXPECTED = 4 * 1024 * 1024;

/** The bytes of one body. They are copied: a piece is the connection's again once it was taken. */
export class HttpBody {
  readonly #pieces = new ByteCollector();

  get length(): number {
    return this.#pieces.length;
  }

  /** Makes room for a body of this length, so that it is not moved while it grows. */
  expect(length: number): void {
    if (length > 0 && length <= MOST_EXPECTED) this.#pieces.reserve(length);
  }

  append(chunk: Buffer): void {
    this.#pieces.append(chunk);
  }

  /** Valid until the next `append`. */
  view(): Buffer {
    return this.#pieces.view();
  }

  take(): Buffer {
    return this.#pieces.take();
  }
}
