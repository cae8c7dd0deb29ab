import { connect, type LookupFunction } from 'node:net';
import type { HttpLines, LineHandler, LineRequest } from '../http-lines.js';
import { LinesClosed } from '../http-errors.js';
import { PlainLine, type LineKeeper } from './plain-line.js';
import { RequestHeads } from './request-heads.js';

/** Which server is dialled, and how. */
export interface PlainLinesOptions {
  /** An `http:` address; only its origin counts. */
  readonly url: URL;
  readonly connectMs: number;
  /** How the name is looked up for one connection. Throws where the address is not allowed. */
  readonly admit?: (hostname: string, port: string) => LookupFunction;
}

/** Where the peer does not say how long it keeps a quiet connection. */
const KEEP_MS = 15_000;
const LONGEST_KEEP_MS = 60_000;
const SWEEP_MS = 1_000;
/** A look at the idle ones that comes later than this found a process that stood still. */
const LATE_MS = 1_500;
const READ_BYTES = 64 * 1024;
const TCP_KEEP_ALIVE_MS = 60_000;

/** Connections to one server without TLS, with framing of our own: each layer of Node's costs more than a whole call. */
export function openPlainLines(options: PlainLinesOptions): HttpLines {
  return new PlainLines(options);
}

class PlainLines implements HttpLines, LineKeeper {
  readonly #options: PlainLinesOptions;
  readonly #heads: RequestHeads;
  readonly #hostname: string;
  readonly #port: string;
  readonly #lines = new Set<PlainLine>();
  /** The one used last comes last and is used next, so that the others grow old. */
  #idle: PlainLine[] = [];
  #sweep: NodeJS.Timeout | undefined;
  #sweptAt = 0;
  /** The process stood still, and what its peers did meanwhile is not read yet. */
  #isBehind = false;
  #isClosed = false;

  constructor(options: PlainLinesOptions) {
    this.#options = options;
    const { host, hostname, port } = options.url;
    this.#heads = new RequestHeads(host);
    this.#hostname = hostname.replace(/^\[|\]$/g, '');
    this.#port = port || '80';
  }

  dispatch(request: LineRequest, handler: LineHandler): void {
    if (this.#isClosed) throw new LinesClosed();
    const text = this.#heads.write(request);
    // A peer may have closed a quiet connection. What is sent over it is lost, and nobody could tell that it never arrived.
    if (this.#idle.length > 0 && (this.#isBehind || performance.now() - this.#sweptAt > LATE_MS))
      setImmediate(() => this.#send(text, handler));
    else this.#send(text, handler);
  }

  #send(text: string | Buffer, handler: LineHandler): void {
    const line = this.#takeIdle() ?? this.#open();
    line.send(text, handler);
    if (this.#isClosed) line.destroy(new LinesClosed());
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#stopSweep();
    for (const line of this.#idle.splice(0)) line.destroy(new LinesClosed());
    return Promise.resolve();
  }

  destroy(): Promise<void> {
    void this.close();
    for (const line of this.#lines) line.destroy(new LinesClosed());
    return Promise.resolve();
  }

  free(line: PlainLine, keepMs: number = KEEP_MS): void {
    if (this.#isClosed) {
      line.destroy(new LinesClosed());
      return;
    }
    line.expiresAt = performance.now() + Math.min(keepMs, LONGEST_KEEP_MS);
    this.#idle.push(line);
    if (this.#sweep !== undefined) return;
    this.#sweptAt = performance.now();
    this.#sweep = setInterval(() => this.#endIdle(), SWEEP_MS).unref();
  }

  gone(line: PlainLine): void {
    this.#lines.delete(line);
    const at = this.#idle.indexOf(line);
    if (at !== -1) this.#idle.splice(at, 1);
  }

  #takeIdle(): PlainLine | undefined {
    for (let line = this.#idle.pop(); line !== undefined; line = this.#idle.pop()) {
      if (line.expiresAt > performance.now()) return line;
      line.destroy(new LinesClosed());
    }
    return undefined;
  }

  #open(): PlainLine {
    const { connectMs, admit } = this.#options;
    const host = this.#hostname;
    const port = Number(this.#port);
    const lookup = admit?.(host, this.#port);
    const line = new PlainLine(
      this,
      (callback) => {
        const onread = { buffer: Buffer.allocUnsafeSlow(READ_BYTES), callback };
        const socket = connect({ host, port, noDelay: true, onread, ...(lookup && { lookup }) });
        return socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
      },
      connectMs,
    );
    this.#lines.add(line);
    return line;
  }

  #endIdle(): void {
    const now = performance.now();
    if (now - this.#sweptAt > LATE_MS) {
      this.#isBehind = true;
      setImmediate(() => (this.#isBehind = false));
    }
    this.#sweptAt = now;
    for (const line of this.#idle.filter(({ expiresAt }) => expiresAt <= now))
      line.destroy(new LinesClosed());
    if (this.#idle.length === 0) this.#stopSweep();
  }

  #stopSweep(): void {
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }
}
