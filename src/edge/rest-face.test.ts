import { describe, expect, test } from 'vitest';
import type { Exchange } from '../mcp/server/index.js';
import { RestExchange } from './rest-face.js';

function dressed(body: string | Uint8Array, method = 'POST') {
  const sent: { status?: number; body?: unknown } = {};
  const inner: Exchange = {
    method,
    target: '/mcp/tools/call',
    headers: { accept: 'text/html', 'x-other': '1' },
    body: typeof body === 'string' ? Buffer.from(body) : body,
    send: (status, _headers, answer) => void Object.assign(sent, { status, body: answer }),
    stream: () => {
      throw new Error('no streams here');
    },
    onAbort: () => {},
  };
  const exchange = new RestExchange(inner, 'tools/call');
  return { exchange, sent, text: Buffer.from(exchange.body).toString() };
}
const message = (params: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;

describe('on the way in', () => {
  test.each([
    [
      'an object',
      '{"name":"a","arguments":{"n":9007199254740993}}',
      message('{"name":"a","arguments":{"n":9007199254740993}}'),
    ],
    ['nothing', '', message('{}')],
    ['blanks', ' \n', message('{}')],
    ['a byte order mark', '\uFEFF{}', message('{}')],
    ['a byte order mark alone', '\uFEFF', message('{}')],
  ])('%s becomes a request', (_what, body, expected) => {
    expect(dressed(body).text).toBe(expected);
  });

  test.each([
    ['a text', '"x"'],
    ['no JSON', '{"a":'],
    ['more than one document', '{}{}'],
    ['a way out of the params', '{}},"method":"tools/list","x":{"y":{}'],
    ['a second byte order mark', '\uFEFF\uFEFF{}'],
    ['a byte order mark after a blank', ' \uFEFF{}'],
    ['a blank that is none of JSON', '\u00A0{}'],
    ['one key twice', '{"name":"a","name":"b"}'],
  ])('%s is left as it is, to be refused', (_what, body) => {
    expect(dressed(body).text).toBe(body);
  });

  test.each([
    ['a list', '[1]'],
    ['a batch', ' [{"jsonrpc":"2.0","id":1,"method":"tools/call"}]'],
  ])('%s goes on without what is in it, to be refused', (_what, body) => {
    expect(dressed(body).text).toBe('[]');
  });

  test('text that is not UTF-8 is left as it is', () => {
    const bytes = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]);
    expect(Buffer.from(dressed(bytes).exchange.body)).toEqual(bytes);
  });

  test('only JSON is accepted back, and other headers stay', () => {
    expect(dressed('{}').exchange.headers).toEqual({ accept: 'application/json', 'x-other': '1' });
    expect(dressed('', 'GET').exchange.body).toHaveLength(0);
  });
});

describe('on the way out', () => {
  test.each([
    ['a result', 200, '{"jsonrpc":"2.0","id":1,"result":{"n":9007199254740993}}', '{"n":9007199254740993}'],
    [
      'an error',
      200,
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown tool"}}',
      '{"error":{"code":-32602,"message":"Unknown tool"}}',
    ],
    [
      'an error of the transport',
      400,
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
      '{"error":{"code":-32700,"message":"Parse error"}}',
    ],
    ['neither', 200, '{"jsonrpc":"2.0","id":1}', '{"error":{"code":-32603,"message":"Internal error"}}'],
  ])('%s is undressed', (_what, status, answer, expected) => {
    const { exchange, sent } = dressed('{}');
    exchange.send(status, {}, answer);
    expect(sent).toEqual({ status, body: expected });
  });

  test('an answer without a body stays without', () => {
    const { exchange, sent } = dressed('{}');
    exchange.send(405, {});
    expect(sent).toEqual({ status: 405, body: undefined });
  });

  test('a result of many values is sent, although we would not accept it', () => {
    const { exchange, sent } = dressed('{}');
    const many = JSON.stringify(Array.from({ length: 150_000 }, () => 1));
    exchange.send(200, {}, `{"jsonrpc":"2.0","id":1,"result":{"many":${many}}}`);
    expect(sent.body).toBe(`{"many":${many}}`);
  });
});
