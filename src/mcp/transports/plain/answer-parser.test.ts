import { describe, expect, test } from 'vitest';
import { TransportError } from '../transport.js';
import type { AnswerHead } from './answer-head.js';
import { AnswerParser } from './answer-parser.js';

interface Read {
  readonly status: number | undefined;
  readonly headers: AnswerHead['headers'] | undefined;
  readonly keepMs: number | undefined;
  readonly body: string;
  readonly complete: boolean;
  readonly rest: number;
}

/** Pushes the text in pieces of this many bytes. */
function read(text: string, size = text.length, ends = false): Read | string {
  let head: AnswerHead | undefined;
  let body = '';
  const parser = new AnswerParser({
    head: (one) => {
      head = one;
    },
    body: (bytes) => {
      body += bytes.toString('latin1');
    },
  });
  const bytes = Buffer.from(text, 'latin1');
  let taken = 0;
  try {
    for (let at = 0; at < bytes.length && !parser.isComplete; at += size)
      taken = at + parser.push(bytes.subarray(at, at + size));
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    return error.code;
  }
  const complete = ends ? parser.finish() : parser.isComplete;
  const { status, headers, keepMs } = head ?? {};
  return { status, headers, keepMs, body, complete, rest: bytes.length - taken };
}

const OK = 'HTTP/1.1 200 OK\r\n';
const INVALID = 'HTTP_INVALID_BODY';

describe('answers', () => {
  test.each<[name: string, text: string, expected: Partial<Read>]>([
    ['a counted body', `${OK}Content-Length: 5\r\n\r\nhello`, { body: 'hello', complete: true }],
    [
      'a count with blanks around it',
      `${OK}content-length: \t5 \r\n\r\nhello`,
      { body: 'hello', complete: true },
    ],
    ['no body', `${OK}Content-Length: 0\r\n\r\n`, { body: '', complete: true }],
    [
      'a body that is not complete',
      `${OK}Content-Length: 9\r\n\r\nhello`,
      { body: 'hello', complete: false },
    ],
    [
      'more than was announced',
      `${OK}Content-Length: 2\r\n\r\nhello`,
      { body: 'he', complete: true, rest: 3 },
    ],
    ['no reason', 'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n', { status: 200, complete: true }],
    ['no headers', 'HTTP/1.1 204 No Content\r\n\r\n', { status: 204, complete: true }],
    [
      'a status that has no body',
      `HTTP/1.1 304 -\r\nContent-Length: 7\r\n\r\n`,
      { status: 304, complete: true },
    ],
    [
      'informational answers first',
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 -\r\nLink: </x>\r\n\r\n${OK}Content-Length: 1\r\n\r\nx`,
      { status: 200, body: 'x', complete: true },
    ],
    [
      'chunks',
      `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n`,
      { body: 'hello', complete: true },
    ],
    [
      'chunks with extensions and trailers',
      `${OK}transfer-encoding: Chunked\r\n\r\n005;a="b\t"\r\nhello\r\n0\r\nX: y\r\nZ: w\r\n\r\n`,
      { body: 'hello', complete: true },
    ],
    [
      'a body in capitals of hexadecimal',
      `${OK}Transfer-Encoding: chunked\r\n\r\nA\r\n0123456789\r\n0\r\n\r\n`,
      { body: '0123456789' },
    ],
    [
      'only the headers that somebody reads',
      `${OK}X-Any: 1\r\n__proto__: 2\r\nRetry-After: 3\r\nContent-Length: 0\r\n\r\n`,
      { headers: { 'retry-after': '3', 'content-length': '0' } },
    ],
    [
      'a header given twice',
      `${OK}WWW-Authenticate: a\r\nWWW-Authenticate: b\r\nContent-Length: 0\r\n\r\n`,
      { headers: { 'www-authenticate': ['a', 'b'], 'content-length': '0' } },
    ],
    ['a connection that ends', `${OK}Connection: Close\r\nContent-Length: 0\r\n\r\n`, { keepMs: 0 }],
    ['an option among others', `${OK}Connection: x, close\r\nContent-Length: 0\r\n\r\n`, { keepMs: 0 }],
    ['an older version', `HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n`, { keepMs: 0 }],
    [
      'an older version that stays',
      `HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n`,
      { keepMs: undefined },
    ],
    ['a time to stay', `${OK}Keep-Alive: timeout=5, max=100\r\nContent-Length: 0\r\n\r\n`, { keepMs: 3000 }],
    ['too short a time to stay', `${OK}Keep-Alive: timeout=1\r\nContent-Length: 0\r\n\r\n`, { keepMs: 0 }],
  ])('%s, however it is cut', (_name, text, expected) => {
    expect(read(text)).toMatchObject(expected);
    for (const size of [1, 2, 3, 7]) {
      const { rest: _, ...same } = expected;
      expect(read(text, size)).toMatchObject(same);
    }
  });

  test('a body without a length ends with the connection', () => {
    expect(read(`${OK}\r\nhello`, 3, false)).toMatchObject({ body: 'hello', complete: false });
    expect(read(`${OK}\r\nhello`, 3, true)).toMatchObject({ body: 'hello', complete: true });
  });

  test('a body with a length does not', () => {
    expect(read(`${OK}Content-Length: 9\r\n\r\nhello`, 3, true)).toMatchObject({ complete: false });
    expect(read(`${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`, 3, true)).toMatchObject({
      complete: false,
    });
  });

  test('one answer after another', () => {
    const bodies: string[] = [];
    const parser = new AnswerParser({ head() {}, body: (bytes) => bodies.push(bytes.toString()) });
    for (const body of ['one', 'two']) {
      parser.push(Buffer.from(`${OK}Transfer-Encoding: chunked\r\n\r\n3\r\n${body}\r\n0\r\n\r\n`));
      expect(parser.isComplete).toBe(true);
      parser.reset();
    }
    expect(bodies).toEqual(['one', 'two']);
  });
});

describe('what is no answer', () => {
  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['another version', 'HTTP/2.0 200 OK\r\n\r\n'],
    ['a status without meaning', 'HTTP/1.1 20x OK\r\n\r\n'],
    ['a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['two blanks', 'HTTP/1.1  200 OK\r\n\r\n'],
    ['line feeds alone', 'HTTP/1.1 200 OK\nContent-Length: 0\n\n\r\n\r\n'],
    ['another protocol from here on', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['a name without a value', `${OK}Content-Length\r\n\r\n`],
    ['a blank before the colon', `${OK}Content-Length : 1\r\n\r\n`],
    ['a name of nothing', `${OK}: 1\r\n\r\n`],
    ['a folded line', `${OK}X: a\r\n b\r\n\r\n`],
    ['a lone carriage return', `${OK}X: a\rb\r\n\r\n`],
    ['a lone line feed', `${OK}X: a\nContent-Length: 1\r\n\r\n`],
    ['a control character', `${OK}X: a\0b\r\n\r\n`],
    ['two lengths', `${OK}Content-Length: 1\r\nContent-Length: 1\r\n\r\nx`],
    ['a list of lengths', `${OK}Content-Length: 1, 1\r\n\r\nx`],
    ['a negative length', `${OK}Content-Length: -1\r\n\r\nx`],
    ['a length in hexadecimal', `${OK}Content-Length: 0x1\r\n\r\nx`],
    ['an empty length', `${OK}Content-Length:\r\n\r\nx`],
    ['a length without end', `${OK}Content-Length: 99999999999999999999\r\n\r\nx`],
    ['a length and chunks', `${OK}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`],
    ['another coding', `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n`],
    ['two codings', `${OK}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n`],
    ['chunks of an older version', 'HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['a chunk without a size', `${OK}Transfer-Encoding: chunked\r\n\r\n\r\nhello`],
    ['a chunk of an unknown size', `${OK}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`],
    ['a chunk of an enormous size', `${OK}Transfer-Encoding: chunked\r\n\r\n100000000\r\n`],
    ['a chunk that is longer than it says', `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n`],
    ['a size that ends in a line feed', `${OK}Transfer-Encoding: chunked\r\n\r\n5\nhello\r\n`],
    ['an extension without end', `${OK}Transfer-Encoding: chunked\r\n\r\n5;${'x'.repeat(2000)}`],
    ['trailers without end', `${OK}Transfer-Encoding: chunked\r\n\r\n0\r\n${'x: y\r\n'.repeat(4000)}`],
    ['many headers', `${OK}${'x: y\r\n'.repeat(300)}\r\n`],
  ])('%s', (_name, text) => {
    expect(read(text)).toBe(INVALID);
    expect(read(text, 5)).toBe(INVALID);
  });

  test('a head that is too large', () => {
    const head = `${OK}X: ${'y'.repeat(20_000)}\r\n\r\n`;
    expect(read(head)).toBe('HTTP_BODY_TOO_LARGE');
    expect(read(head, 1000)).toBe('HTTP_BODY_TOO_LARGE');
  });
});
