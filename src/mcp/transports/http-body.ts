import { ByteCollector } from '../sse/index.js';

/** The bytes of one body. Most come in one piece, which is kept as it is. */
export class HttpBody {
  #only: Buffer | undefined;
  #pieces: ByteCollector | undefined;

  get length(): number {
    return this.#pieces?.length ?? this.#only?.length ?? 0;
  }

  append(chunk: Buffer): void {
    if (this.#pieces !== undefined) {
      this.#pieces.append(chunk);
    } else if (this.#only === undefined) {
      this.#only = chunk;
    } else {
      this.#pieces = new ByteCollector();
      this.#pieces.append(this.#only);
      this.#pieces.append(chunk);
      this.#only = undefined;
    }
  }

  /** Valid until the next `append`. */
  view(): Buffer {
    return this.#only ?? this.#pieces?.view() ?? Buffer.alloc(0);
  }

  take(): Buffer {
    const bytes = this.view();
    this.#only = undefined;
    this.#pieces = undefined;
    return bytes;
  }
}
