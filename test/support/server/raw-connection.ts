import { connect, type Socket } from 'node:net';

const PATIENCE_MS = 5000;

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A TCP connection on which a test writes whatever bytes it likes. */
export class RawConnection {
  readonly socket: Socket;
  received = '';
  closed = false;
  #wake: (() => void) | undefined;

  constructor(port: number, options: { readonly allowHalfOpen?: boolean } = {}) {
    this.socket = connect({ port, host: '127.0.0.1', ...options });
    this.socket.setNoDelay(true);
    this.socket.on('data', (chunk: Buffer) => {
      this.received += chunk.toString('latin1');
      this.#wake?.();
    });
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.closed = true;
      this.#wake?.();
    });
    this.socket.on('end', () => {
      this.closed = true;
      this.#wake?.();
    });
  }

  write(bytes: string | Uint8Array): void {
    if (!this.socket.destroyed) this.socket.write(bytes);
  }

  /** Waits until what was received fulfils the condition, or the connection is closed. */
  async until(condition: (received: string) => boolean, withinMs = PATIENCE_MS): Promise<string> {
    const deadline = performance.now() + withinMs;
    while (!condition(this.received) && !this.closed) {
      const left = deadline - performance.now();
      if (left <= 0) throw new Error(`in vain; received ${this.received.slice(0, 500)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.received;
  }

  /** The next response with a body of declared length. Undefined when the connection closes first. */
  async response(): Promise<RawResponse | undefined> {
    await this.until((received) => parse(received) !== undefined);
    const parsed = parse(this.received);
    if (parsed === undefined) return undefined;
    this.received = this.received.slice(parsed.end);
    return parsed.response;
  }

  async close(): Promise<void> {
    this.socket.destroy();
    await this.until(() => this.closed);
  }
}

function parse(text: string): { readonly response: RawResponse; readonly end: number } | undefined {
  const head = text.indexOf('\r\n\r\n');
  if (head === -1) return undefined;
  const [line = '', ...fields] = text.slice(0, head).split('\r\n');
  const headers = Object.fromEntries(
    fields.map((field) => [
      field.slice(0, field.indexOf(':')).toLowerCase(),
      field.slice(field.indexOf(':') + 1).trim(),
    ]),
  );
  const end = head + 4 + Number(headers['content-length'] ?? 0);
  if (text.length < end) return undefined;
  const body = Buffer.from(text.slice(head + 4, end), 'latin1').toString();
  return { response: { status: Number(line.split(' ')[1]), headers, body }, end };
}
