import { expect, test } from 'vitest';
import type { AnswerHeaders, Exchange } from '../exchange.js';
import { findToolName, looksLikeCall, refuseBusy } from './busy.js';

function exchangeOf(body: string, headers: Record<string, string> = {}) {
  const sent: { status: number; headers: AnswerHeaders; body: unknown }[] = [];
  const exchange: Exchange = {
    method: 'POST',
    target: '/mcp',
    headers,
    body: Buffer.from(body),
    send: (status, answered, text) =>
      void sent.push({ status, headers: answered, body: JSON.parse(String(text)) }),
    stream: () => expect.unreachable(),
    onAbort: () => {},
  };
  return { exchange, sent };
}

const MODERN = { 'mcp-protocol-version': '2026-07-28' };

test.each([
  ['{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}', 7],
  ['{"method":"tools/call","params":{"a":{}},"jsonrpc":"2.0","id":"x-1"}', 'x-1'],
  ['{"id": 8, "jsonrpc": "2.0", "method":"tools/call"}', 8],
  ['{"jsonrpc":"2.0","id":"\\u00e9\\"","method":"tools/call"}', 'é"'],
  ['{"method":"tools/call","id":3,"params":{"a":1,"jsonrpc":"2.0","id":4}}', 3],
  ['{"jsonrpc":"2.0","id":01,"method":"tools/call"}', null],
  ['[{"jsonrpc":"2.0","id":1,"method":"tools/call"}]', null],
  ['{"method":"tools/call"', null],
])('a call that is turned away is answered with its id: %s', (body, id) => {
  const { exchange, sent } = exchangeOf(body);
  expect(looksLikeCall(exchange)).toBe(true);
  refuseBusy(exchange);
  expect(sent).toEqual([
    {
      status: 503,
      headers: expect.objectContaining({ 'retry-after': '1' }) as AnswerHeaders,
      body: { jsonrpc: '2.0', id, error: { code: -31_053, message: expect.any(String) as string } },
    },
  ]);
});

test('where the id is not known, modern clients get none', () => {
  const { exchange, sent } = exchangeOf('x', MODERN);
  refuseBusy(exchange);
  expect(sent[0]?.body).not.toHaveProperty('id');
});

test.each([
  ['{"jsonrpc":"2.0","id":1,"method":"ping"}', {}, false],
  ['{"jsonrpc":"2.0","id":1,"method":"tools/list"}', { 'mcp-method': 'tools/list' }, false],
  ['{}', { 'mcp-method': 'tools/call' }, true],
])('%s with %o is taken for a call: %s', (body, headers, isCall) => {
  expect(looksLikeCall(exchangeOf(body, headers).exchange)).toBe(isCall);
});

const NAMED = { 'mcp-method': 'tools/call', 'mcp-name': 'up__read' };
const callOf = (params: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;

test.each<[string, string, Record<string, string>, string | undefined]>([
  ['in a header', callOf('{"arguments":{},"name":"other"}'), NAMED, 'up__read'],
  ['in the body', callOf('{"name":"up__read","arguments":{}}'), {}, 'up__read'],
  ['behind something else', callOf('{"arguments":{},"name":"up__read"}'), {}, undefined],
  ['with something to decode', callOf('{"name":"up\\u005fread"}'), {}, undefined],
  ['encoded in a header', callOf('{}'), { 'mcp-name': '=?base64?w7Y=?=' }, undefined],
  ['that never ends', callOf(`{"name":"${'x'.repeat(300)}"}`), {}, undefined],
  ['of a call that goes on', callOf('{"name":"up__read","requestState":"s"}'), NAMED, undefined],
  ['of several calls', `[${callOf('{"name":"up__read"}')}]`, {}, undefined],
  [
    'of a large call',
    callOf(`{"name":"up__read","arguments":{"a":"${'x'.repeat(20_000)}"}}`),
    NAMED,
    undefined,
  ],
])('the name of a tool is found without reading: %s', (_where, body, headers, name) => {
  expect(findToolName(exchangeOf(body, headers).exchange)).toBe(name);
});
