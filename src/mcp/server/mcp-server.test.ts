import { describe, expect, test } from 'vitest';
import {
  envelope,
  Harness,
  initialize,
  JSON_BOTH,
  MODERN,
  modernRequest,
  request,
  type Fields,
} from '../../../test/support/server/harness.js';

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

interface Row {
  readonly name: string;
  readonly method?: string;
  readonly headers?: Fields;
  readonly body?: string | Uint8Array;
  readonly status: number;
  readonly code?: number;
  /** `absent`: the error has no id at all. */
  readonly id?: unknown;
  readonly answer?: Fields;
}

/** Inside a session, unless the headers say otherwise. */
async function check(row: Row, harness = new Harness()): Promise<void> {
  const { id } = await harness.session();
  const base: Fields = { ...JSON_BOTH, 'mcp-session-id': id };
  const method = row.method ?? 'POST';
  const answer = await harness.send(
    method,
    { ...base, ...row.headers },
    method === 'POST' ? (row.body ?? PING) : undefined,
  );
  expect({ status: answer.status, code: answer.body?.error?.code }).toEqual({
    status: row.status,
    code: row.code,
  });
  if (row.id === 'absent') expect(answer.body).not.toHaveProperty('id');
  else if (row.id !== undefined) expect(answer.body.id).toBe(row.id);
  for (const [name, value] of Object.entries(row.answer ?? {})) expect(answer.headers.get(name)).toBe(value);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('cache-control')).toContain('no-store');
}

const JSON_TYPE = (value: string): Fields => ({ 'content-type': value });

describe('methods and media types', () => {
  test.each<Row>([
    {
      name: 'S20 H-2: PUT',
      method: 'PUT',
      status: 405,
      code: -32600,
      answer: { allow: 'POST, GET, DELETE' },
    },
    { name: 'H-2: PATCH', method: 'PATCH', status: 405, code: -32600 },
    {
      name: 'S6: parameters of the type are fine',
      headers: JSON_TYPE('application/json; charset=UTF-8; x=y'),
      status: 200,
    },
    { name: 'S6: case does not matter', headers: JSON_TYPE('Application/JSON'), status: 200 },
    { name: 'S6 H-25: text', headers: JSON_TYPE('text/plain'), status: 415, code: -32600, id: null },
    {
      name: 'H-25: form',
      headers: JSON_TYPE('application/x-www-form-urlencoded'),
      status: 415,
      code: -32600,
    },
    { name: 'H-25: json-seq', headers: JSON_TYPE('application/json-seq'), status: 415, code: -32600 },
    {
      name: 'H-25: two types',
      headers: JSON_TYPE('application/json, text/plain'),
      status: 415,
      code: -32600,
    },
    {
      name: 'H-25: type in a parameter',
      headers: JSON_TYPE('text/plain; x=application/json'),
      status: 415,
      code: -32600,
    },
    {
      name: 'H-26: other charset',
      headers: JSON_TYPE('application/json; charset=utf-16'),
      status: 415,
      code: -32600,
    },
    { name: 'H-33: compressed', headers: { 'content-encoding': 'gzip' }, status: 415, code: -32600 },
    { name: 'H-33: unknown encoding', headers: { 'content-encoding': 'x' }, status: 415, code: -32600 },
    {
      name: '415 in the modern era has no id',
      headers: { ...JSON_TYPE('text/plain'), 'mcp-protocol-version': MODERN },
      status: 415,
      code: -32600,
      id: 'absent',
    },
    { name: 'S18: anything is accepted', headers: { accept: '*/*' }, status: 200 },
    {
      name: 'S18: JSON only',
      headers: { accept: 'application/json' },
      status: 200,
      answer: { 'content-type': 'application/json' },
    },
    {
      name: 'S18: events only',
      headers: { accept: 'text/event-stream' },
      status: 200,
      answer: { 'content-type': 'text/event-stream' },
    },
    { name: 'S18 H-27: neither', headers: { accept: 'text/html' }, status: 406, code: -32600, id: 1 },
    {
      name: 'S18: refused by weight',
      headers: { accept: 'application/json;q=0, text/event-stream; q=0.0' },
      status: 406,
      code: -32600,
    },
    {
      name: 'S70: GET that does not accept events',
      method: 'GET',
      headers: { accept: 'application/json' },
      status: 406,
      code: -32600,
    },
    {
      name: 'S70: GET without a session',
      method: 'GET',
      headers: { 'mcp-session-id': '' },
      status: 400,
      code: -32000,
    },
    {
      name: 'M-17: GET of the modern era',
      method: 'GET',
      headers: { 'mcp-protocol-version': MODERN },
      status: 405,
      code: -32600,
      answer: { allow: 'POST' },
    },
    {
      name: 'M-17: DELETE of the modern era',
      method: 'DELETE',
      headers: { 'mcp-protocol-version': MODERN },
      status: 405,
      code: -32600,
    },
  ])('$name', (row) => check(row));

  test('S18: without Accept everything is accepted', async () => {
    const harness = new Harness();
    const { id } = await harness.session();
    const answer = await harness.send(
      'POST',
      { 'content-type': 'application/json', 'mcp-session-id': id },
      PING,
    );
    expect(answer.status).toBe(200);
  });

  test('S18: strict mode wants both types', async () => {
    const harness = new Harness({ strictAccept: true });
    expect((await harness.post(initialize(), { accept: 'application/json' })).status).toBe(406);
    expect((await harness.post(initialize(), { accept: '*/*' })).status).toBe(200);
  });

  test('S6: a body without a type', async () => {
    const answer = await new Harness().send('POST', {}, new TextEncoder().encode(PING));
    expect(answer.status).toBe(415);
  });

  test.each(['GET', 'DELETE'])('S70 S68: %s without a session header', async (method) => {
    const answer = await new Harness().send(method, { accept: 'text/event-stream' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('S8: chunked bodies can be refused', async () => {
    const harness = new Harness({ rejectChunked: true });
    const answer = await harness.post(initialize(), { 'transfer-encoding': 'chunked' });
    expect([answer.status, answer.body.error.code]).toEqual([400, -32600]);
  });
});

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const nested = (depth: number): string =>
  `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(depth - 2)}${']'.repeat(depth - 2)}}}`;

describe('bodies', () => {
  const parse = { status: 400, code: -32700, id: null };
  const invalid = { status: 400, code: -32600 };
  test.each<Row>([
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
  ])('$name', (row) => check(row));

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

describe('eras on one endpoint', () => {
  test('S23: both are served at the same time', async () => {
    const harness = new Harness();
    const session = await harness.session();
    const [old, modern] = await Promise.all([session.request('tools/list'), harness.modern('tools/list')]);
    expect(old.body.result).toEqual({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] });
    expect(modern.body.result.resultType).toBe('complete');
  });

  test('S25: initialize under a modern header', async () => {
    const answer = await new Harness().post(initialize(), { 'mcp-protocol-version': MODERN });
    expect([answer.status, answer.body.error.code, answer.body.id]).toEqual([400, -32020, 'init']);
  });

  test('S25: a modern header without an envelope names what is missing', async () => {
    const { message } = modernRequest('tools/list', {});
    const bare = { ...message, params: {} };
    const answer = await new Harness().post(bare, {
      'mcp-protocol-version': MODERN,
      'mcp-method': 'tools/list',
    });
    expect([answer.status, answer.body.error.code, answer.body.id]).toEqual([400, -32602, 1]);
    expect(answer.body.error.message).toContain('protocolVersion');
  });

  test('S14: modern notifications are accepted and mean nothing', async () => {
    const notification = { jsonrpc: '2.0', method: 'notifications/x', params: { _meta: envelope() } };
    const answer = await new Harness().post(notification, { 'mcp-protocol-version': MODERN });
    expect([answer.status, answer.text]).toEqual([202, '']);
  });

  test('a modern notification that contradicts its header', async () => {
    const notification = { jsonrpc: '2.0', method: 'notifications/x', params: { _meta: envelope() } };
    const answer = await new Harness().post(notification, {
      'mcp-protocol-version': MODERN,
      'mcp-method': 'notifications/y',
    });
    expect([answer.status, answer.body.error.code]).toEqual([400, -32020]);
    expect(answer.body).not.toHaveProperty('id');
  });
});

describe('S26: legacy switched off', () => {
  const harness = new Harness({ legacy: 'off' });

  test('initialize is told what is served', async () => {
    const answer = await harness.post(initialize('2025-06-18'));
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({
      code: -32022,
      data: { supported: [MODERN], requested: '2025-06-18' },
    });
  });

  test.each([
    ['requests', request(1, 'tools/list'), 400],
    ['notifications', { jsonrpc: '2.0', method: 'notifications/initialized' }, 202],
    ['responses', { jsonrpc: '2.0', id: 1, result: {} }, 400],
    ['batches', [request(1, 'tools/list')], 400],
  ])('%s', async (_name, message, status) => {
    expect((await harness.post(message)).status).toBe(status);
  });

  test.each(['GET', 'DELETE'])('%s', async (method) => {
    const answer = await harness.send(method, { 'mcp-session-id': 'x', accept: 'text/event-stream' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });
});
