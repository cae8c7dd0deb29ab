import { connect } from 'node:net';
import type { Random } from '../../fuzz/random.js';
import { mutate } from '../../fuzz/mutate.js';
import { envelope, initialize, MODERN, request } from './harness.js';
import { LiveServer, rawPost, type LiveOptions } from './live-server.js';

/** What a client sends: pieces of bytes, after an ordinary request or as the first thing. */
export interface FrontCase {
  readonly name: string;
  readonly pieces: readonly Buffer[];
  readonly isSecond: boolean;
}

const OPTIONS: LiveOptions = {
  http: { halfCloseMs: 40 },
  listener: {
    maxBodyBytes: 4096,
    authenticate: ({ authorization }) =>
      authorization === 'Bearer late'
        ? new Promise((resolve) => setImmediate(() => resolve('late')))
        : authorization === 'Bearer nobody'
          ? undefined
          : 'somebody',
  },
};

/** Two servers that differ in how requests are read, and in nothing else. */
export class FrontPair {
  readonly fast: LiveServer;
  readonly plain: LiveServer;

  private constructor(fast: LiveServer, plain: LiveServer) {
    this.fast = fast;
    this.plain = plain;
  }

  static async open(): Promise<FrontPair> {
    return new FrontPair(
      await LiveServer.open(OPTIONS),
      await LiveServer.open({ ...OPTIONS, fastFront: false }),
    );
  }

  /** What came back, from both, in a form that can be compared. */
  async meet(one: FrontCase): Promise<{ readonly fast: string; readonly plain: string }> {
    const [fast, plain] = await Promise.all([tell(this.fast.port, one), tell(this.plain.port, one)]);
    return { fast: normal(fast), plain: normal(plain) };
  }

  async close(): Promise<void> {
    await Promise.all([this.fast.close(), this.plain.close()]);
  }
}

const PATIENCE_MS = 10_000;
const MODERN_HEADERS = {
  'MCP-Protocol-Version': MODERN,
  'Mcp-Method': 'tools/call',
  'Mcp-Name': 'echo',
};
const FIRST = rawPost(modernBody(1), MODERN_HEADERS);

function modernBody(id: number, args: object = { text: 'grüße' }): string {
  return JSON.stringify(request(id, 'tools/call', { name: 'echo', arguments: args, _meta: envelope() }));
}

/** Everything a server says until it closes; whoever sends closes its own side after the last piece. */
function tell(port: number, { pieces, isSecond }: FrontCase): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    let begun = false;
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no end to ${JSON.stringify(received.slice(-300))}`));
    }, PATIENCE_MS);
    const send = (): void => {
      if (begun) return;
      begun = true;
      void (async () => {
        for (const piece of pieces) {
          if (socket.destroyed) return;
          socket.write(piece);
          await new Promise((next) => setTimeout(next, 2));
        }
        socket.end();
      })();
    };
    socket.on('connect', () => (isSecond ? void socket.write(FIRST) : send()));
    socket.on('data', (bytes: Buffer) => {
      received += bytes.toString('latin1');
      if (isSecond) send();
    });
    socket.on('error', () => {});
    // The server is done with us; nothing of what is still to be sent could be answered.
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(received);
    });
  });
}

/** Without what differs between two answers that are the same. */
function normal(received: string): string {
  return received
    .replaceAll(/^date: .*\r\n/gim, '')
    .replaceAll(/^(connection|keep-alive|transfer-encoding): /gim, (name) => name.toLowerCase())
    .replaceAll(/^mcp-session-id: .*\r\n/gim, 'mcp-session-id: -\r\n')
    .replaceAll(/HTTP\/1\.1 \d[^]*?\r\n\r\n/g, (head) => head.split('\r\n').toSorted().join('\n'));
}

/** A request without a body. */
function bare(method: string, headers = ''): string {
  return `${method} /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n${headers}\r\n`;
}

const NO_SESSION = 'MCP-Session-Id: nobodys\r\nMCP-Protocol-Version: 2025-11-25\r\n';

const GOOD = [
  FIRST,
  rawPost(modernBody(2), { ...MODERN_HEADERS, Connection: 'Keep-Alive', Authorization: 'Bearer late' }),
  rawPost(JSON.stringify(initialize()), { 'User-Agent': 'a\tb', Origin: 'http://localhost:3000' }),
  rawPost(JSON.stringify(initialize()), { Authorization: 'Bearer nobody' }),
  rawPost('{"jsonrpc":"2.0","method":"notifications/initialized"}'),
  rawPost('{"jsonrpc":"2.0","id":1,"method":"ping"', { Accept: 'application/json' }),
  rawPost('x'.repeat(5000)),
  rawPost(modernBody(3)).replace('POST /mcp', 'POST /elsewhere'),
  bare('GET', NO_SESSION),
  bare('DELETE', NO_SESSION),
  bare('GET', 'Authorization: Bearer nobody\r\n'),
];

const HEAD = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${Object.entries(
  MODERN_HEADERS,
)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('')}`;
const BODY = modernBody(7);
const LENGTH = `Content-Length: ${Buffer.byteLength(BODY)}\r\n`;
const withHeaders = (headers: string): string => `${HEAD}${headers}\r\n${BODY}`;

/** Requests that are unusual, wrong or dangerous in one way each. */
const ODD: Readonly<Record<string, string>> = {
  'a length twice': withHeaders(LENGTH + LENGTH),
  'a list of lengths': withHeaders(LENGTH.replace('\r\n', ', 1\r\n')),
  'a negative length': withHeaders('Content-Length: -5\r\n'),
  'a length with a sign': withHeaders('Content-Length: +5\r\n'),
  'a length in hexadecimal': withHeaders('Content-Length: 0x10\r\n'),
  'a length of zero': `${HEAD}Content-Length: 0\r\n\r\n`,
  'an empty length': withHeaders('Content-Length: \r\n'),
  'an enormous length': withHeaders('Content-Length: 18446744073709551616\r\n'),
  'zeros before a length': withHeaders(LENGTH.replace(': ', ': 00')),
  'length and chunks': withHeaders(`${LENGTH}Transfer-Encoding: chunked\r\n`),
  'another coding': withHeaders(`Transfer-Encoding: gzip, chunked\r\n`),
  chunks: `${HEAD}Transfer-Encoding: chunked\r\n\r\n${Buffer.byteLength(BODY).toString(16)}\r\n${BODY}\r\n0\r\n\r\n`,
  'a blank before a colon': withHeaders(LENGTH.replace(':', ' :')),
  'a folded line': withHeaders(`${LENGTH}X: a\r\n b\r\n`),
  'line feeds alone': withHeaders(LENGTH).replaceAll('\r\n', '\n'),
  'a lone line feed': withHeaders(`${LENGTH}X: a\nEvil: b\r\n`),
  'a lone carriage return': withHeaders(`${LENGTH}X: a\rb\r\n`),
  'a zero byte': withHeaders(`${LENGTH}X: a\0b\r\n`),
  'a high byte in a value': withHeaders(`${LENGTH}X: \xff\r\n`),
  'a high byte in a name': withHeaders(`${LENGTH}X\xff: a\r\n`),
  'an empty name': withHeaders(`${LENGTH}: a\r\n`),
  'no colon': withHeaders(`${LENGTH}nothing\r\n`),
  'two hosts': withHeaders(`${LENGTH}Host: 127.0.0.1\r\n`),
  'no host': withHeaders(LENGTH).replace('Host: 127.0.0.1\r\n', ''),
  'a foreign host': withHeaders(LENGTH).replace('127.0.0.1', 'evil.example'),
  'a foreign origin': withHeaders(`${LENGTH}Origin: http://evil.example\r\n`),
  'two origins': withHeaders(`${LENGTH}Origin: http://localhost\r\nOrigin: http://evil.example\r\n`),
  'two types': withHeaders(`${LENGTH}Content-Type: text/plain\r\n`),
  'a prototype': withHeaders(`${LENGTH}__proto__: a\r\nconstructor: b\r\n`),
  'an expectation': withHeaders(`${LENGTH}Expect: 100-continue\r\n`),
  'another expectation': withHeaders(`${LENGTH}Expect: x\r\n`),
  'an upgrade': withHeaders(`${LENGTH}Connection: upgrade\r\nUpgrade: websocket\r\n`),
  'a last request': withHeaders(`${LENGTH}Connection: close\r\n`),
  'an older version': withHeaders(LENGTH).replace('HTTP/1.1', 'HTTP/1.0'),
  'a newer version': withHeaders(LENGTH).replace('HTTP/1.1', 'HTTP/3.7'),
  'a method in small letters': withHeaders(LENGTH).replace('POST', 'post'),
  'two blanks': withHeaders(LENGTH).replace('POST ', 'POST  '),
  'a query': withHeaders(LENGTH).replace('/mcp', '/mcp?a=b'),
  'a fragment': withHeaders(LENGTH).replace('/mcp', '/mcp#x'),
  'an absolute target': withHeaders(LENGTH).replace('/mcp', 'http://127.0.0.1/mcp'),
  'an absolute target elsewhere': withHeaders(LENGTH).replace('/mcp', 'http://evil.example/mcp'),
  'another path': withHeaders(LENGTH).replace('/mcp', '/mcp/../admin'),
  'an encoded path': withHeaders(LENGTH).replace('/mcp', '/%6dcp'),
  'an empty line first': `\r\n${withHeaders(LENGTH)}`,
  'many headers': withHeaders(LENGTH + 'X: y\r\n'.repeat(150)),
  'many different headers': withHeaders(
    LENGTH + Array.from({ length: 98 }, (_, i) => `X-${i}: y\r\n`).join(''),
  ),
  'a large head': withHeaders(`${LENGTH}X: ${'y'.repeat(9000)}\r\n`),
  'too large a head': withHeaders(`${LENGTH}X: ${'y'.repeat(20_000)}\r\n`),
  'garbage after a request': `${withHeaders(LENGTH)}garbage\r\n\r\n`,
  'three requests': withHeaders(LENGTH).repeat(3),
  'a body that is too short': withHeaders(LENGTH).slice(0, -5),
  'a head without an end': withHeaders(LENGTH).slice(0, 60),
  'bytes of TLS': '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
  'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a body that is no JSON': `${HEAD}Content-Length: 3\r\n\r\n{"a`,
  'a body that is no UTF-8': `${HEAD}Content-Length: 4\r\n\r\n"\xff\xfe"`,
  'another content': withHeaders(LENGTH).replace('application/json', 'text/plain'),
  'a compressed body': withHeaders(`${LENGTH}Content-Encoding: gzip\r\n`),
  'a stream of no session': bare('GET'),
  'a stream of a session that is not there': bare('GET', NO_SESSION),
  'a stream in the modern era': bare('GET', `MCP-Protocol-Version: ${MODERN}\r\n`),
  'a stream that somebody unknown wants': bare('GET', 'Authorization: Bearer nobody\r\n'),
  'a stream that somebody wants late': bare('GET', `${NO_SESSION}Authorization: Bearer late\r\n`),
  'a stream for another origin': bare('GET', `${NO_SESSION}Origin: http://evil.example\r\n`),
  'a stream with a body': `${bare('GET', 'Content-Length: 4\r\n')}abcd`,
  'a stream with a length of zero': bare('GET', `${NO_SESSION}Content-Length: 0\r\n`),
  'a stream with chunks': `${bare('GET', 'Transfer-Encoding: chunked\r\n')}0\r\n\r\n`,
  'a stream without a host': bare('GET', NO_SESSION).replace('Host: 127.0.0.1\r\n', ''),
  'a stream and an upgrade': bare('GET', 'Connection: upgrade\r\nUpgrade: websocket\r\n'),
  'a last stream': bare('GET', `${NO_SESSION}Connection: close\r\n`),
  'a stream elsewhere': bare('GET').replace('/mcp', '/elsewhere'),
  'a request behind that for a stream': bare('GET', NO_SESSION) + FIRST,
  'two streams': bare('GET', NO_SESSION).repeat(2),
  'only the head of one': bare('HEAD', NO_SESSION),
  'the end of a session that is not there': bare('DELETE', NO_SESSION),
  'the end of no session': bare('DELETE'),
  'an end with a body': `${bare('DELETE', `${NO_SESSION}Content-Length: 2\r\n`)}{}`,
  'other methods': bare('PUT') + bare('OPTIONS'),
};

export function oddCases(): readonly FrontCase[] {
  return Object.entries(ODD).flatMap(([name, text]) => {
    const bytes = Buffer.from(text, 'latin1');
    const middle = Math.floor(bytes.length / 2);
    return [
      { name, pieces: [bytes], isSecond: false },
      { name: `${name}, after a good one`, pieces: [bytes], isSecond: true },
      {
        name: `${name}, in two pieces`,
        pieces: [bytes.subarray(0, middle), bytes.subarray(middle)],
        isSecond: false,
      },
    ];
  });
}

const DICTIONARY = [
  '\r\n',
  '\r\n\r\n',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Connection: close\r\n',
  'Expect: 100-continue\r\n',
  'Host: 127.0.0.1\r\n',
  ': ',
  ' HTTP/1.1',
  'POST /mcp',
  '\t',
  '%2f',
];

/** A request that was damaged at random, cut at random. */
export function damagedCase(random: Random): FrontCase {
  const pool = GOOD.map((text) => Buffer.from(text));
  let bytes = random.pick(pool);
  const rounds = random.below(4);
  for (let i = 0; i < rounds; i++)
    bytes = Buffer.from(mutate({ pool: [bytes, ...pool], dictionary: DICTIONARY }, random));
  const cut = random.below(3) === 0 ? random.below(bytes.length + 1) : 0;
  const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)].filter(({ length }) => length > 0);
  return { name: bytes.toString('latin1').slice(0, 2000), pieces, isSecond: random.below(3) === 0 };
}
