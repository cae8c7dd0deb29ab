import type { LineRequest } from '../http-lines.js';
import { TransportError } from '../transport.js';

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const UNFIT_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
const UNFIT_PATH = /[^\x21-\x7e]/;
const NOT_ASCII = /[^\0-\x7f]/;

/** The head of the requests of one kind. It is checked and written once for as long as their headers stay the same. */
export class RequestHeads {
  readonly #host: string;
  #method = '';
  #path = '';
  #headers: readonly string[] = [];
  #text = '';
  #isAscii = true;

  constructor(host: string) {
    this.#host = host;
  }

  /**
   * A whole request in one piece: text where all of it is ASCII, as nearly always, so that its characters are its bytes.
   * Throws `TransportError` for a header that cannot be sent.
   */
  write(request: LineRequest): string | Buffer {
    const body = request.body ?? '';
    const bytes = Buffer.byteLength(body);
    const length = request.body === null ? '' : `content-length: ${bytes}\r\n`;
    const head = `${this.#headOf(request)}${length}\r\n`;
    if (this.#isAscii && bytes === body.length) return head + body;
    // Other characters of a header are bytes, those of a body are not.
    return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]);
  }

  #headOf({ method, path, headers }: LineRequest): string {
    if (method === this.#method && path === this.#path && isSame(headers, this.#headers)) return this.#text;
    this.#text = writeHead(method, path, headers, this.#host);
    this.#isAscii = !NOT_ASCII.test(this.#text);
    this.#method = method;
    this.#path = path;
    this.#headers = headers.slice();
    return this.#text;
  }
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  if (some.length !== others.length) return false;
  for (let i = 0; i < some.length; i++) if (some[i] !== others[i]) return false;
  return true;
}

function writeHead(method: string, path: string, headers: readonly string[], host: string): string {
  if (UNFIT_PATH.test(path)) throw unfit();
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? '';
    const value = headers[i + 1] ?? '';
    if (!TOKEN.test(name) || UNFIT_VALUE.test(value)) throw unfit();
    head += `${name}: ${value}\r\n`;
  }
  return head;
}

function unfit(): TransportError {
  return new TransportError('CONNECT_FAILED', 'the request has a header that cannot be sent', {
    mayHaveArrived: false,
  });
}
