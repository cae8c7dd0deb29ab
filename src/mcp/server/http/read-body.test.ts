import { describe, expect, test } from 'vitest';
import { checkAnswer, type AnswerRow } from '../../../../test/support/server/check-answer.js';
import { Harness, MODERN, request } from '../../../../test/support/server/harness.js';

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const nested = (depth: number): string =>
  `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(depth - 2)}${']'.repeat(depth - 2)}}}`;

describe('bodies', () => {
  const parse = { status: 400, code: -32700, id: null };
  const invalid = { status: 400, code: -32600 };
  test.each<AnswerRow>([
    { name: 'S9 J-1: truncated', body: '{"jsonrpc":"2.0"', ...parse },
    { name: 'J-1: trailing comma', body: `${PING.slice(0, -1)},}`, ...parse },
    { name: 'J-1: single quotes', body: "{'jsonrpc':'2.0'}", ...parse },
    { name: 'J-1: NaN', body: '{"jsonrpc":"2.0","id":NaN,"method":"ping"}', ...parse },
    { name: 'J-1: a comment', body: `${PING}//`, ...parse },
    { name: 'J-1: two documents', body: PING + PING, ...parse },
    { name: 'J-1: trailing NUL', body: `${PING}\0`, ...parse },
    { name: 'J-1: binary', body: bytes(0, 1, 2, 0xff), ...parse },
    {
      name: 'J-1 in the modern era has no id',
      headers: { 'mcp-protocol-version': MODERN },
      body: '{',
      status: 400,
      code: -32700,
      id: 'absent',
    },
    { name: 'H-34: empty', body: '', ...parse },
    { name: 'H-34: blanks', body: '  \n', ...parse },
    { name: 'J-2: byte order mark', body: bytes(0xef, 0xbb, 0xbf, ...Buffer.from(PING)), status: 200, id: 1 },
    {
      name: 'J-2: two byte order marks',
      body: bytes(0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, ...Buffer.from(PING)),
      ...parse,
    },
    { name: 'J-3: UTF-16', body: Buffer.from(PING, 'utf16le'), ...parse },
    {
      name: 'J-3: invalid UTF-8',
      body: Buffer.concat([Buffer.from('{"a":"'), bytes(0xc3, 0x28), Buffer.from('"}')]),
      ...parse,
    },
    {
      name: 'J-3: overlong UTF-8',
      body: Buffer.concat([Buffer.from('{"a":"'), bytes(0xc0, 0xaf), Buffer.from('"}')]),
      ...parse,
    },
    { name: 'J-4: raw control character', body: '{"jsonrpc":"2.0","id":"a\nb","method":"ping"}', ...parse },
    {
      name: 'J-5: lone surrogate in the id',
      body: '{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}',
      ...invalid,
      id: null,
    },
    { name: 'J-6: depth 64', body: nested(64), status: 200, id: 1 },
    { name: 'J-6: depth 65', body: nested(65), ...invalid, id: null },
    { name: 'J-6: depth 400 000', body: '['.repeat(400_000), ...invalid, id: null },
    {
      name: 'J-7: 100 000 keys',
      body: `{${Array.from({ length: 100_001 }, (_, i) => `"${i}":0`).join(',')}}`,
      ...invalid,
    },
    {
      name: 'J-8: duplicate method',
      body: '{"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"}',
      ...invalid,
    },
    {
      name: 'J-8: duplicate key far down',
      body: '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[{"b":1,"b":1}]}}',
      ...invalid,
    },
    { name: 'J-10: Method', body: '{"jsonrpc":"2.0","id":1,"Method":"ping"}', ...invalid, id: 1 },
    { name: 'J-10: method with a blank', body: '{"jsonrpc":"2.0","id":1,"method ":"ping"}', ...invalid },
    { name: 'J-10: method with NUL', body: '{"jsonrpc":"2.0","id":1,"method\\u0000":"ping"}', ...invalid },
    { name: 'J-13: 42', body: '42', ...invalid, id: null },
    { name: 'J-13: null', body: 'null', ...invalid },
    { name: 'J-13: {}', body: '{}', ...invalid },
    { name: 'J-14 S13: []', body: '[]', ...invalid, id: null },
    { name: 'J-14 S13: batch outside the one version that has them', body: `[${PING}]`, ...invalid },
    {
      name: 'S11: batch in the modern era',
      headers: { 'mcp-protocol-version': MODERN },
      body: `[${PING}]`,
      ...invalid,
      id: 'absent',
    },
    { name: 'J-15: a megabyte of blanks', body: ' '.repeat(1024 * 1024) + PING, status: 200 },
    {
      name: 'J-16: an escape in the method',
      body: '{"jsonrpc":"2.0","id":1,"method":"p\\u0069ng"}',
      status: 200,
    },
    { name: 'R-1: no jsonrpc', body: '{"id":1,"method":"ping"}', ...invalid, id: 1 },
    { name: 'R-1: jsonrpc 1.0', body: '{"jsonrpc":"1.0","id":1,"method":"ping"}', ...invalid },
    { name: 'R-1: jsonrpc as a number', body: '{"jsonrpc":2.0,"id":1,"method":"ping"}', ...invalid },
    ...['null', '1.5', 'true', '{}', '[]', '1e400', '9007199254740993'].map((id) => ({
      name: `R-2 R-4 S10: id ${id}`,
      body: `{"jsonrpc":"2.0","id":${id},"method":"ping"}`,
      ...invalid,
      id: null,
    })),
    { name: 'R-5: a long id', body: JSON.stringify(request('x'.repeat(65_536), 'ping')), ...invalid },
    { name: 'R-6: no method', body: '{"jsonrpc":"2.0","id":1}', ...invalid },
    { name: 'R-6: method as a number', body: '{"jsonrpc":"2.0","id":1,"method":1}', ...invalid },
    { name: 'R-6: empty method', body: '{"jsonrpc":"2.0","id":1,"method":""}', ...invalid },
    {
      name: 'R-9: params as an array',
      body: '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
      status: 200,
      code: -32602,
      id: 1,
    },
    {
      name: 'R-9: params as text',
      body: '{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}',
      status: 200,
      code: -32602,
      id: 1,
    },
    {
      name: 'R-9: params as an array in the modern era',
      headers: { 'mcp-protocol-version': MODERN },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
      status: 400,
      code: -32602,
      id: 1,
    },
    {
      name: 'R-11: result and error',
      body: '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}',
      ...invalid,
    },
    {
      name: 'R-11: method and result',
      body: '{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}',
      ...invalid,
    },
    {
      name: 'R-12: malformed notification',
      body: '{"jsonrpc":"2.0","method":"notifications/x","params":1}',
      status: 400,
      code: -32602,
      id: null,
    },
    {
      name: 'R-12 S14: unknown notification',
      body: '{"jsonrpc":"2.0","method":"notifications/x"}',
      status: 202,
    },
    {
      name: 'R-13: cancel of an unknown id',
      body: '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}',
      status: 202,
    },
    {
      name: 'R-13: cancel without an id',
      body: '{"jsonrpc":"2.0","method":"notifications/cancelled"}',
      status: 202,
    },
    {
      name: 'R-14: progress for nobody',
      body: '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}',
      status: 202,
    },
    { name: 'R-10 S15: response to nothing', body: '{"jsonrpc":"2.0","id":77,"result":{}}', status: 202 },
    {
      name: 'R-10: error for nothing',
      body: '{"jsonrpc":"2.0","id":77,"error":{"code":1,"message":"no"}}',
      status: 202,
    },
    {
      name: 'R-10 S16: response in the modern era',
      headers: { 'mcp-protocol-version': MODERN },
      body: '{"jsonrpc":"2.0","id":77,"result":{}}',
      ...invalid,
      id: 'absent',
    },
    ...[
      'nope',
      'rpc.x',
      '__proto__',
      'constructor',
      'toString',
      'sampling/createMessage',
      'server/discover',
      'subscriptions/listen',
      'tasks/get',
    ].map((method) => ({
      name: `R-7 M-29: method ${method}`,
      body: JSON.stringify(request(1, method, { taskId: 'x' })),
      status: 200,
      code: -32601,
      id: 1,
    })),
  ])('$name', (row) => checkAnswer(row));

  test.each([
    ['""', ''],
    ['0', 0],
    ['-7', -7],
    ['"\u{1F600}"', '\u{1F600}'],
    ['"<b>"', '<b>'],
    ['"1"', '1'],
  ])('R-3 S10: id %s comes back as it was', async (written, id) => {
    const harness = new Harness();
    const session = await harness.session();
    const answer = await session.post(`{"jsonrpc":"2.0","id":${written},"method":"ping"}`);
    expect(answer.body).toEqual({ jsonrpc: '2.0', id, result: {} });
  });

  test('R-8: a method of a megabyte is refused without an echo', async () => {
    const session = await new Harness().session();
    const answer = await session.post(request(1, 'm'.repeat(1_000_000)));
    expect([answer.status, answer.body.error.code]).toEqual([400, -32600]);
    expect(answer.text.length).toBeLessThan(1024);
  });

  test('J-6: a bomb is refused quickly', async () => {
    const session = await new Harness().session();
    const bomb = '{"a":'.repeat(100_000);
    const before = performance.now();
    expect((await session.post(bomb)).status).toBe(400);
    expect(performance.now() - before).toBeLessThan(500);
  });

  test('J-9: __proto__ is data, and nothing is polluted', async () => {
    const session = await new Harness().session();
    const args = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
    const answer = await session.post(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":${args}}}`,
    );
    expect(answer.body.result.content[0].text).toBe(args);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  test('R-10: a response to nothing is counted', async () => {
    const harness = new Harness();
    const session = await harness.session();
    await session.respond(77, {});
    expect(harness.count('unknown_response')).toBe(1);
  });
});
