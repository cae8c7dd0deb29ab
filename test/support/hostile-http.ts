import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** Everything an upstream may do wrong with one call, by name. Each gets the answer to give and the id it should have. */
export type Misdeed = (response: ServerResponse, id: unknown, canary: string) => void;

const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
const message = (id: unknown, more: object): string => JSON.stringify({ jsonrpc: '2.0', id, ...more });
const good = (id: unknown): string => message(id, { result: text('true answer') });
const event = (data: string): string => `event: message\ndata: ${data}\n\n`;

const json =
  (body: (id: unknown) => string | Buffer, status = 200, headers: Record<string, string> = {}): Misdeed =>
  (response, id) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body(id));

const sse =
  (events: (id: unknown) => string): Misdeed =>
  (response, id) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events(id));

/** Bytes as they are; `then` decides about the connection. */
const raw =
  (bytes: (id: unknown) => string, then: (socket: Socket) => void = () => {}): Misdeed =>
  (response, id) => {
    const { socket } = response;
    socket?.write(bytes(id));
    if (socket) then(socket);
  };

/** Goes on and on until the other side has had enough. */
const forever =
  (head: string, piece: string, everyMs = 20): Misdeed =>
  (response) => {
    const { socket } = response;
    socket?.write(head);
    const timer = setInterval(() => socket?.write(piece), everyMs);
    socket?.on('close', () => clearInterval(timer)).on('error', () => clearInterval(timer));
  };

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const SSE_HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunk = (data: string): string => `${Buffer.byteLength(data).toString(16)}\r\n${data}\r\n`;
const end = (socket: Socket): void => void socket.end();
const reset = (socket: Socket): void => void setTimeout(() => socket.resetAndDestroy(), 20);
const framed = (id: unknown): string => `${HEAD}Content-Length: ${good(id).length}\r\n`;
const error = (shape: object): Misdeed => json((id) => message(id, { error: shape }));
const result = (shape: unknown): Misdeed => json((id) => message(id, { result: shape }));
const redirect =
  (status: number): Misdeed =>
  (response, _id, canary) =>
    void response.writeHead(status, { location: canary }).end();

export const MISDEEDS: Readonly<Record<string, Misdeed>> = {
  hang: () => {},
  hang_headers: raw(() => 'HTTP/1.1 200 OK\r\nContent-Ty'),
  drip: forever(`${HEAD}Content-Length: 10000\r\n\r\n{`, ' '),
  drip_headers: forever('HTTP/1.1 200 OK\r\nX: ', 'y'),
  sse_comments_forever: forever(SSE_HEAD, chunk(': nothing\n\n')),
  sse_progress_forever: forever(
    SSE_HEAD,
    chunk(event('{"jsonrpc":"2.0","method":"notifications/progress"}')),
  ),
  sse_end_early: sse(() => ': hello\n\n'),
  fin: raw(() => '', end),
  reset: raw(() => '', reset),
  reset_mid: raw(() => `${HEAD}Content-Length: 100\r\n\r\n{"json`, reset),
  cl_long: raw((id) => `${HEAD}Content-Length: 5000\r\n\r\n${good(id)}`, end),
  chunk_truncated: raw(() => `${HEAD}Transfer-Encoding: chunked\r\n\r\n40\r\n{"json`, end),
  cl_double: raw((id) => `${framed(id)}Content-Length: 3\r\n\r\n${good(id)}`),
  cl_te: raw((id) => `${framed(id)}Transfer-Encoding: chunked\r\n\r\n${good(id)}`),
  chunk_bad: raw(() => `${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`),
  bad_status_line: raw(() => 'HTTP/9.9 hello\r\n\r\n'),
  http2_bytes: raw(() => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  header_100k: raw((id) => `${framed(id)}X-Long: ${'y'.repeat(100_000)}\r\n\r\n${good(id)}`),
  headers_5000: raw((id) => `${framed(id)}${'X-Many: y\r\n'.repeat(5_000)}\r\n${good(id)}`),
  json_huge: json((id) => message(id, { result: text('x'.repeat(2_000_000)) })),
  json_endless: forever(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`, chunk(' '.repeat(60_000)), 5),
  sse_huge_event: sse((id) => event(message(id, { result: text('x'.repeat(2_000_000)) }))),
  sse_endless_line: forever(SSE_HEAD, chunk(`data: ${'x'.repeat(60_000)}`), 5),
  gzip_bomb: json(() => gzipSync(Buffer.alloc(20_000_000)), 200, { 'content-encoding': 'gzip' }),
  sse_flood: sse(
    (id) =>
      event('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}').repeat(
        3_000,
      ) + event(good(id)),
  ),
  gzip_bad: json(() => 'this is no gzip', 200, { 'content-encoding': 'gzip' }),
  utf8_bad: json(() => Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])),
  json_deep: json((id) =>
    message(id, { result: 0 }).replace('0}', `${'['.repeat(5_000)}${']'.repeat(5_000)}}`),
  ),
  json_broken: json(() => '{"jsonrpc":"2.0",'),
  empty_200: json(() => ''),
  empty_202: (response) => void response.writeHead(202).end(),
  no_content: (response) => void response.writeHead(204).end(),
  html_200: (response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>'),
  json_as_sse: (response, id) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(good(id)),
  ...Object.fromEntries(
    [400, 403, 405, 418, 429, 500, 502, 503].map((status) => [
      `status_${status}`,
      json(() => 'the password is hunter2', status, { 'retry-after': '86400' }),
    ]),
  ),
  ...Object.fromEntries([301, 302, 307, 308].map((status) => [`redirect_${status}`, redirect(status)])),
  id_wrong: json(() => good(424_242)),
  id_null: json(() => good(null)),
  id_missing: json(() => good(undefined)),
  id_string: json((id) => good(String(id))),
  id_float: json((id) => good(id).replace(`"id":${String(id)}`, `"id":${String(id)}.5`)),
  dup_response: sse((id) => event(good(id)) + event(message(id, { result: text('second') }))),
  result_then_error: sse((id) => event(good(id)) + event(message(id, { error: { code: 1, message: 'no' } }))),
  stray_first: sse((id) => event(good(424_242).replace('true', 'stray')) + event(good(id))),
  both: json((id) => message(id, { result: text('x'), error: { code: 1, message: 'no' } })),
  neither: json((id) => message(id, {})),
  no_jsonrpc: json((id) => JSON.stringify({ id, result: text('x') })),
  result_null: result(null),
  result_string: result('x'),
  result_array: result([]),
  result_number: result(7),
  error_beyond_integers: error({ code: 1e300, message: 'no' }),
  error_string_code: error({ code: 'E1', message: 'no' }),
  error_no_message: error({ code: 5 }),
  error_huge: error({ code: 5, message: 'y'.repeat(100_000) }),
  error_ansi: error({ code: 5, message: '\u001b[31mred\u0007 \u202ereversed' }),
  error_reserved: error({ code: -32_001, message: 'reserved' }),
  server_request: sse(
    (id) => event(message(7, { method: 'elicitation/create', params: {} })) + event(good(id)),
  ),
  progress_foreign: sse(
    (id) =>
      event(
        '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x","progress":1}}',
      ) + event(good(id)),
  ),
  cancel_from_server: sse(
    (id) =>
      event(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`) +
      event(good(id)),
  ),
  exec_then_drop: raw(() => '', end),
  exec_then_500: json(() => '', 500),
  exec_then_hang: () => {},
  content_string: result({ content: 'x' }),
  content_odd: result({ content: [null, 5, 'x', { text: 'no type' }] }),
  is_error_text: result({ content: [], isError: 'yes' }),
  type_claimed: result({ ...text('true answer'), resultType: 'input_required', requestState: 'x' }),
  beside_huge: result({ ...text('true answer'), vendor: 'x'.repeat(900_000) }),
  content_missing: result({}),
  image_bad: result({
    content: [...text('true answer').content, { type: 'image', mimeType: 'image/png', data: 'data:x' }],
  }),
  link_javascript: result({
    content: [...text('true answer').content, { type: 'resource_link', uri: 'javascript:x', name: 'x' }],
  }),
  content_10k: result({ content: Array.from({ length: 10_000 }, () => ({ type: 'text', text: 'x' })) }),
  content_proto: json((id) => good(id).replace('"content"', '"__proto__":{"polluted":true},"content"')),
};
