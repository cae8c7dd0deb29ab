import { gzipSync } from 'node:zlib';
import type { BadInput, Entrance } from './entrance.js';

/** Requests that are wrong as HTTP. */

/** What the hubs take. */
export const MAX_BODY = 1024 * 1024;
const EVIL = 'http://evil.example';

const refused = { status: 400, closes: true } as const;
const row = (name: string, send: BadInput['send'], rest: Omit<BadInput, 'name' | 'send'>): BadInput => ({
  name,
  send,
  ...rest,
});
/** A good call with one thing changed. */
const changed = (
  name: string,
  change: (text: string) => string,
  rest: Omit<BadInput, 'name' | 'send'>,
): BadInput => row(name, (at) => change(at.call()), rest);
const headed = (name: string, line: string, rest: Omit<BadInput, 'name' | 'send'> = refused): BadInput =>
  changed(name, (text) => text.replace('\r\n\r\n', `\r\n${line}\r\n\r\n`), rest);
const measured = (length: string): BadInput =>
  changed(
    `H-13: length ${JSON.stringify(length)}`,
    (text) => text.replace(/Content-Length: \d+/, `Content-Length: ${length}`),
    refused,
  );

/** A call whose body is sent in chunks, written by hand. */
export function chunked(at: Entrance, chunks: string): string {
  const [head = ''] = at.call().split('\r\n\r\n');
  return `${head.replace(/\r\nContent-Length: \d+/, '\r\nTransfer-Encoding: chunked')}\r\n\r\n${chunks}`;
}
const inChunks = (name: string, chunks: string, status: BadInput['status'] = 400): BadInput =>
  row(name, (at) => chunked(at, chunks), { status, closes: true });

const lines = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => line(n)).join('\r\n');

const METHODS: readonly BadInput[] = [
  row('H-1: an unknown path', (at) => at.bare('GET', '/secret-place', { Authorization: '' }), {
    status: 404,
    holds: ({ body, headers }) =>
      headers['content-type']?.startsWith('application/json') === true && !body.includes('secret-place'),
  }),
  ...['PUT', 'PATCH', 'PROPFIND'].map((method) =>
    row(`H-2: ${method}`, (at) => at.bare(method), {
      status: 405,
      holds: ({ headers }) => headers['allow'] === 'POST, GET, DELETE',
    }),
  ),
  row('H-3: TRACE', (at) => at.bare('TRACE', '/mcp', { 'X-Secret': 'hunter2' }), {
    status: 405,
    holds: ({ body }) => !body.includes('hunter2'),
  }),
  row('H-4: CONNECT', (at) => at.bare('CONNECT', '127.0.0.1:22'), { status: [0, 400, 404, 405] }),
  changed('H-5: FROB', (text) => text.replace('POST', 'FROB'), refused),
  changed('H-5: small letters', (text) => text.replace('POST', 'post'), refused),
];

const HOSTS: readonly BadInput[] = [
  changed('H-6: no Host', (text) => text.replace('Host: 127.0.0.1\r\n', ''), refused),
  headed('H-6: two Hosts', 'Host: 127.0.0.1', { status: 400 }),
  changed('H-7: a foreign Host', (text) => text.replace('Host: 127.0.0.1', 'Host: evil.example'), {
    status: 403,
  }),
  row('H-7: elsewhere', (at) => at.bare('GET', '/health', { Host: 'evil.example' }), { status: 403 }),
  ...['/mcp', '/api/v1/connectors', '/health'].map((path) =>
    row(`H-8: foreign authority, ${path}`, (at) => at.bare('GET', EVIL + path), { status: 403 }),
  ),
  changed('H-8: a call', (text) => text.replace('/mcp', `${EVIL}/mcp`), { status: 403 }),
  // An absolute target is as good as any if the authority is ours (RFC 9112, section 3.2.2).
  changed('H-8: our own authority', (text) => text.replace('/mcp', 'http://127.0.0.1/mcp'), {
    status: 200,
    reaches: 1,
  }),
  ...[EVIL, 'null', 'http://localhost.evil.example', 'http://127.0.0.1.evil.example'].flatMap(fromOrigin),
  ...['http://127.0.0.1:1@evil.example', 'file://', 'http://xn--lcalhost-57g.example'].flatMap(fromOrigin),
  row('H-29: preflight', (at) => at.bare('OPTIONS', '/mcp', { Origin: EVIL, Authorization: '' }), {
    status: 403,
    holds: ({ headers }) => headers['access-control-allow-origin'] === undefined,
  }),
  row(
    'H-30: allowed Origin, foreign Host',
    (at) => at.call({}, { Origin: 'https://app.example', Host: 'evil.example' }),
    { status: 403 },
  ),
  row('H-30: the reverse', (at) => at.call({}, { Origin: EVIL }), { status: 403 }),
];

function fromOrigin(origin: string): BadInput[] {
  const status = 403;
  const holds = async (_: unknown, at: Entrance): Promise<boolean> =>
    (await at.tell(at.said('{"jsonrpc":"2.0","id":1,"method":"ping"}')))?.status === 200;
  const session = (at: Entrance) => ({ Origin: origin, 'Mcp-Session-Id': at.session });
  return [
    row(`H-28: POST from ${origin}`, (at) => at.call({}, { Origin: origin }), { status }),
    row(`H-28: GET from ${origin}`, (at) => at.bare('GET', '/mcp', session(at)), { status }),
    row(`H-28: DELETE from ${origin}`, (at) => at.bare('DELETE', '/mcp', session(at)), { status, holds }),
  ];
}

const FRAMING: readonly BadInput[] = [
  changed('H-9: HTTP/1.0', (text) => text.replace('HTTP/1.1', 'HTTP/1.0'), {
    status: 200,
    closes: true,
    reaches: 1,
  }),
  row('H-10: HTTP/0.9', () => 'GET /mcp\r\n\r\n', { status: [0, 400, 505], closes: true }),
  row('H-10: HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', { status: [400, 505], closes: true }),
  changed('H-10: a call in HTTP/2.0', (text) => text.replace('HTTP/1.1', 'HTTP/2.0'), {
    status: 505,
    closes: true,
  }),
  changed('H-10: HTTP/3.7', (text) => text.replace('HTTP/1.1', 'HTTP/3.7'), {
    status: [400, 505],
    closes: true,
  }),
  changed(
    'H-11: both lengths, and a request inside',
    (text) => `${text.replace('\r\n\r\n', '\r\nTransfer-Encoding: chunked\r\n\r\n')}0\r\n\r\n${text}`,
    refused,
  ),
  ...['chunked, identity', 'xchunked', 'identity'].map((coding) =>
    changed(
      `H-12: coding "${coding}"`,
      (text) => text.replace(/Content-Length: \d+/, `Transfer-Encoding: ${coding}`),
      refused,
    ),
  ),
  row(
    'H-12: a coding before "chunked", and a request behind it',
    (at) =>
      chunked(at, '2\r\n{}\r\n0\r\n\r\n').replace('coding: chunked', 'coding: gzip, chunked') + at.call(),
    refused,
  ),
  headed('H-12: an empty coding beside a length', 'Transfer-Encoding: '),
  headed('H-12: a blank before the colon', 'Transfer-Encoding : chunked'),
  headed('H-13: two lengths', 'Content-Length: 46'),
  ...['46, 46', '-1', '+46', '0x2e', '4 6', '46abc', ''].map(measured),
  { ...measured('18446744073709551616'), status: [400, 413] },
  changed('H-15: bytes after the body', (text) => text.replace(/Content-Length: \d+/, 'Content-Length: 20'), {
    status: 400,
    code: -32_700,
  }),
  inChunks('H-16: no number', 'zz\r\n{}\r\n0\r\n\r\n'),
  inChunks('H-16: negative', '-2\r\n{}\r\n0\r\n\r\n'),
  inChunks('H-16: overflow', 'fffffffffffffffff\r\n{}\r\n0\r\n\r\n'),
  inChunks('H-16: no end', '2\r\n{}0\r\n\r\n'),
  inChunks('H-16: line feeds', '2\n{}\n0\n\n'),
  inChunks('H-17: a long extension', `2;${'a'.repeat(65_536)}\r\n{}\r\n0\r\n\r\n`, [400, 413]),
  inChunks('H-17: trailers', `2\r\n{}\r\n0\r\n${lines(3_000, (n) => `x-${n}: y`)}\r\n\r\n`, [400, 431]),
  changed('H-18: line feeds', (text) => text.replaceAll('\r\n', '\n'), refused),
  headed('H-18: one line feed', 'X-A: a\nX-B: b'),
  headed('H-18: folding', 'X-A: a\r\n b'),
  headed('H-18: NUL', 'X-A: a\0b'),
  headed('H-18: a bare carriage return', 'X-A: a\rb'),
  headed('H-18: a blank in a name', 'X A: a'),
  row(
    'H-18: a high byte in a name',
    (at) => Buffer.from(at.call().replace('Host', 'H\xf6st'), 'latin1'),
    refused,
  ),
  headed('H-18: no name', ': a'),
  headed('H-19: a large header', `X-A: ${'a'.repeat(100_000)}`, { status: 431, closes: true }),
  headed(
    'H-19: 5 000 headers',
    lines(5_000, (n) => `x-${n}: y`),
    { status: 431, closes: true },
  ),
  headed(
    'H-19: 1 500 tiny ones',
    lines(1_500, () => 'a:b'),
    { status: 431 },
  ),
  changed('H-19: a long target', (text) => text.replace('/mcp', `/mcp?${'a'.repeat(100_000)}`), {
    status: [414, 431],
  }),
  row('H-45: a proxy', (at) => `PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n${at.call()}`, refused),
];

const PATHS = [
  ...['/mcp/../admin', '/mcp/%2e%2e/admin', '/mcp/..%2fadmin', '/mcp%00', '/mcp;x=1'].map((path) => [
    'H-20',
    path,
  ]),
  ...['//mcp', '/MCP', '/mcp/', '/mcp//', '/./mcp', '/%6dcp'].map((path) => ['H-21', path]),
].flatMap(([id, path = '']): BadInput[] => [
  row(`${id}: GET ${path}`, (at) => at.bare('GET', path), { status: 404 }),
  changed(`${id}: POST ${path}`, (text) => text.replace('/mcp', path), { status: 404 }),
]);

/** Of the admin API too, whoever asks. */
const ADMIN_PATHS = [
  '/mcp/../api/v1/status',
  '/api/v1/connectors/../status',
  '/api/v1/%2e%2E/v1/status',
  '/api/v1/status/.',
  '/./api/v1/status',
  '//api/v1/status',
  '/ap%69/v1/status',
  '/api/v1/status#',
  '/api\\v1\\status',
].map((path) =>
  row(`H-20: ${path}`, (at) => at.bare('GET', path, { Authorization: `Bearer ${at.hub.adminToken}` }), {
    status: [400, 404],
  }),
);

const typed = (type: string): BadInput =>
  row(`H-25: type "${type}"`, (at) => at.call({}, { 'Content-Type': type }), { status: 415 });

const CONTENT: readonly BadInput[] = [
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''].map(typed),
  ...['text/html', 'application/json-seq', 'application/jsonp', 'application/xml'].map(typed),
  ...['application/json, text/plain', 'text/plain; x=application/json'].map(typed),
  headed('H-25: two types', 'Content-Type: text/plain', { status: 415 }),
  row('H-26: UTF-16', (at) => at.call({}, { 'Content-Type': 'application/json; charset=utf-16' }), {
    status: 415,
  }),
  // Who names nothing accepts everything (RFC 9110, section 12.5.1).
  row('H-27: no Accept', (at) => at.call({}, { Accept: '' }), { status: 200, reaches: 1 }),
  row('H-27: neither', (at) => at.call({}, { Accept: 'text/html' }), { status: 406 }),
  ...['application/json', 'text/event-stream'].map((type) =>
    row(`H-27: only ${type}`, (at) => at.call({}, { Accept: type }), {
      status: 200,
      reaches: 1,
      holds: ({ headers }) => headers['content-type'] === type,
    }),
  ),
  row('H-31: a gibibyte', (at) => at.call({}, { 'Content-Length': String(2 ** 30) }), {
    status: 413,
    closes: true,
  }),
  row('H-33: gzip', (at) => Buffer.concat([Buffer.from(compressed(at)), BOMB]), { status: 415 }),
  row('H-33: unknown', (at) => at.call({}, { 'Content-Encoding': 'x' }), { status: 415 }),
  row('H-34: empty', (at) => at.said(''), { status: 400, code: -32_700, id: null }),
  row('H-34: blank', (at) => at.said('  \n'), { status: 400, code: -32_700, id: null }),
];

const BOMB = gzipSync(Buffer.alloc(8 * MAX_BODY));
const compressed = (at: Entrance): string =>
  at.said('', { 'Content-Encoding': 'gzip', 'Content-Length': String(BOMB.length) });

const HEADERS: readonly BadInput[] = [
  row('H-24: another expectation', (at) => at.call({}, { Expect: 'x' }), { status: 417 }),
  row('H-36: a web socket', (at) => at.bare('GET', '/mcp', upgradeTo('websocket')), { status: 405 }),
  row('H-36: h2c', (at) => at.bare('GET', '/mcp', { ...upgradeTo('h2c'), 'HTTP2-Settings': 'AAMAAABk' }), {
    status: 405,
  }),
  ...['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'].map((name) =>
    row(`H-37: ${name}`, (at) => at.said('{"jsonrpc":"2.0","id":1,"method":"ping"}', { [name]: 'DELETE' }), {
      status: 200,
      holds: async (_, at) =>
        (await at.tell(at.said('{"jsonrpc":"2.0","id":2,"method":"ping"}')))?.status === 200,
    }),
  ),
  ...['X-Forwarded-Host: evil.example', 'Forwarded: host=evil.example;proto=https'].map((line) =>
    row(
      `H-38: ${line}`,
      (at) => at.call({}, { Authorization: '' }).replace('\r\n\r\n', `\r\n${line}\r\n\r\n`),
      {
        status: 401,
        holds: (answer) => !JSON.stringify(answer).includes('evil.example'),
      },
    ),
  ),
];

function upgradeTo(protocol: string): Record<string, string> {
  return { Connection: 'Upgrade', Upgrade: protocol, 'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==' };
}

export const HTTP_ROWS: readonly BadInput[] = [
  ...METHODS,
  ...HOSTS,
  ...FRAMING,
  ...PATHS,
  ...ADMIN_PATHS,
  ...CONTENT,
  ...HEADERS,
];
