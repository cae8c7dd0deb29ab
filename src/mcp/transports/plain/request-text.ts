import type { LineRequest } from '../http-lines.js';
import { TransportError } from '../transport.js';

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const UNFIT_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
const UNFIT_PATH = /[^\x21-\x7e]/;
const NOT_ASCII = /[^\0-\x7f]/;

/**
 * A whole request in one piece: text where its head is ASCII, as nearly always, so that it is encoded on its way to the
 * socket. Throws `TransportError` for a header that cannot be sent.
 */
export function writeRequestText(
  { method, path, headers, body }: LineRequest,
  host: string,
): string | Buffer {
  if (UNFIT_PATH.test(path)) throw unfit();
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? '';
    const value = headers[i + 1] ?? '';
    if (!TOKEN.test(name) || UNFIT_VALUE.test(value)) throw unfit();
    head += `${name}: ${value}\r\n`;
  }
  if (body !== null) head += `content-length: ${Buffer.byteLength(body)}\r\n`;
  head += '\r\n';
  if (!NOT_ASCII.test(head)) return body === null ? head : head + body;
  // Other characters of a header are bytes, those of a body are not.
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body ?? '')]);
}

function unfit(): TransportError {
  return new TransportError('CONNECT_FAILED', 'the request has a header that cannot be sent', {
    mayHaveArrived: false,
  });
}
