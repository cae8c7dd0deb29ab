export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case are not promised; look with a pattern. */
  readonly head: string;
  readonly body: string;
}

/**
 * Reads one HTTP answer after another from the bytes of a connection: just enough of HTTP to keep a server busy at
 * little cost. Bodies have a length or come in chunks.
 */
export class AnswerReader {
  readonly #onAnswer: (answer: HttpAnswer) => void;
  #text = '';

  constructor(onAnswer: (answer: HttpAnswer) => void) {
    this.#onAnswer = onAnswer;
  }

  push(chunk: Buffer): void {
    // One character for each byte, so that lengths are lengths of text.
    this.#text += chunk.toString('latin1');
    const headEnd = this.#text.indexOf('\r\n\r\n');
    if (headEnd === -1) return;
    const head = this.#text.slice(0, headEnd);
    const bodyStart = headEnd + 4;
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    const end = length === undefined ? this.#chunkedEnd(head, bodyStart) : bodyStart + Number(length);
    if (end === -1 || this.#text.length < end) return;
    if (this.#text.length > end) throw new Error('more than one answer to one request');
    const body = this.#text.slice(bodyStart, end);
    this.#text = '';
    this.#onAnswer({ status: Number(head.slice(9, 12)), head, body });
  }

  #chunkedEnd(head: string, bodyStart: number): number {
    if (!/\r\ntransfer-encoding: *chunked/i.test(head)) throw new Error('an answer without a length');
    if (this.#text.startsWith('0\r\n\r\n', bodyStart)) return bodyStart + 5;
    const last = this.#text.indexOf('\r\n0\r\n\r\n', bodyStart);
    return last === -1 ? -1 : last + 7;
  }
}
