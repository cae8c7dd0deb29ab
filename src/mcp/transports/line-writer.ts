import type { Writable } from 'node:stream';

import { TransportError, type TransportErrorCode, type TransportErrorDetails } from './transport.js';

export interface LineWriterOptions {
  readonly output: Writable;
  readonly maxLineBytes: number;
  /** How many bytes may wait for a peer that does not read. */
  readonly maxQueueBytes: number;
  /** What a line is refused with when the queue is full. */
  readonly fullCode: TransportErrorCode;
  readonly onFull?: (reason: TransportError) => void;
}

/** Lines that go out in one write, and the one promise their senders share. */
class Batch {
  readonly lines: (string | undefined)[] = [];
  bytes = 0;
  readonly settled: Promise<void>;
  resolve!: () => void;
  reject!: (error: TransportError) => void;

  constructor() {
    this.settled = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // A sender may not care; those who do have a promise of their own.
    this.settled.catch(() => {});
  }
}

/**
 * Writes messages as lines. What is sent at one go, or while an earlier write waits for the peer, goes out in one write.
 * At most one write is under way, so a line still in the queue has certainly not arrived.
 */
export class LineWriter {
  readonly #options: LineWriterOptions;
  #queue: Batch | undefined;
  #writing: Batch | undefined;
  #scheduled = false;
  #failure: ((mayHaveArrived: boolean) => TransportError) | undefined;

  constructor(options: LineWriterOptions) {
    this.#options = options;
  }

  /** Bytes accepted and not yet taken by the peer's pipe. */
  get queuedBytes(): number {
    return (this.#queue?.bytes ?? 0) + (this.#writing?.bytes ?? 0);
  }

  /**
   * Resolves when the pipe took the line. Aborting takes a line out of the queue again; it does nothing to a line that
   * is being written.
   */
  write(text: string, signal?: AbortSignal): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure(false));
    if (signal?.aborted === true) return Promise.reject(aborted());
    // JSON text can hold a raw line break only between tokens, where a space means the same.
    const line = text.includes('\n') || text.includes('\r') ? text.replace(/[\r\n]/g, ' ') : text;
    const bytes = Buffer.byteLength(line) + 1;
    const refusal = this.#refusal(bytes);
    if (refusal !== undefined) return Promise.reject(refusal);
    const batch = (this.#queue ??= new Batch());
    batch.bytes += bytes;
    batch.lines.push(line);
    if (this.#writing !== undefined) {
      return signal === undefined ? batch.settled : this.#abortable(batch, bytes, signal);
    }
    if (!this.#scheduled) {
      this.#scheduled = true;
      // Right after all that this callback, and the promises it settled, have to say: whoever waits for the end of the
      // turn lets the peer idle while other sockets are served.
      process.nextTick(this.#flush);
    }
    return batch.settled;
  }

  /** Writes what this turn brought, drops what waits behind a stuck write, and ends the stream. */
  end(reason: string): void {
    if (this.#failure !== undefined) return;
    this.#flush();
    this.#refuseFrom((mayHaveArrived) => new TransportError('CONNECTION_CLOSED', reason, { mayHaveArrived }));
    this.#options.output.end();
  }

  /**
   * Nothing can be written any more: rejects every line the pipe did not take, and every later one. The owner calls it
   * when the stream reports an error.
   */
  fail(code: TransportErrorCode, message: string, details: TransportErrorDetails = {}): void {
    const failure = (mayHaveArrived: boolean) =>
      new TransportError(code, message, { ...details, mayHaveArrived });
    if (this.#failure === undefined) this.#refuseFrom(failure);
    this.#writing?.reject(failure(true));
  }

  #refuseFrom(failure: (mayHaveArrived: boolean) => TransportError): void {
    this.#failure = failure;
    const queued = this.#queue;
    this.#queue = undefined;
    queued?.reject(failure(false));
  }

  #refusal(bytes: number): TransportError | undefined {
    const { maxLineBytes, maxQueueBytes, fullCode, onFull } = this.#options;
    if (bytes - 1 > maxLineBytes) {
      return new TransportError('STDIO_LINE_TOO_LONG', `a message is longer than ${maxLineBytes} bytes`, {
        mayHaveArrived: false,
      });
    }
    // A single line larger than the queue may pass when nothing else waits, or it could never be sent.
    const queued = this.queuedBytes;
    if (queued > 0 && queued + bytes > maxQueueBytes) {
      const full = new TransportError(fullCode, `the peer does not read: ${queued} bytes are waiting`, {
        mayHaveArrived: false,
      });
      onFull?.(full);
      return full;
    }
    return undefined;
  }

  #abortable(batch: Batch, bytes: number, signal: AbortSignal): Promise<void> {
    const index = batch.lines.length - 1;
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        if (this.#queue !== batch) return;
        batch.lines[index] = undefined;
        batch.bytes -= bytes;
        reject(aborted());
      };
      signal.addEventListener('abort', onAbort, { once: true });
      batch.settled.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    });
  }

  readonly #flush = (): void => {
    this.#scheduled = false;
    const batch = this.#queue;
    if (batch === undefined || this.#writing !== undefined) return;
    this.#queue = undefined;
    this.#writing = batch;
    let data = '';
    for (const line of batch.lines) if (line !== undefined) data += `${line}\n`;
    if (data === '') this.#written(batch);
    else this.#options.output.write(data, (error) => (error ? this.#broken(batch) : this.#written(batch)));
  };

  #written(batch: Batch): void {
    this.#writing = undefined;
    batch.resolve();
    this.#flush();
  }

  /** The batch stays in `#writing` until `fail` says why, unless that is known. */
  #broken(batch: Batch): void {
    if (this.#failure !== undefined) batch.reject(this.#failure(true));
  }
}

function aborted(): TransportError {
  return new TransportError('ABORTED', 'the message was withdrawn before it was sent', {
    mayHaveArrived: false,
  });
}
