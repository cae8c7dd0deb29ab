import { describe, expect, test } from 'vitest';
import { checkAnswer, type AnswerRow } from '../../../test/support/server/check-answer.js';
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

const JSON_TYPE = (value: string): Fields => ({ 'content-type': value });

describe('methods and media types', () => {
  test.each<AnswerRow>([
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
  ])('$name', (row) => checkAnswer(row));

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

test('others have their turn between the reading of a long message and the call in it', async () => {
  const order: string[] = [];
  const call = () => {
    order.push('call');
    return { content: [] };
  };
  const { server } = new Harness({ call });
  const text = 'x'.repeat(300_000);
  const { message, headers } = modernRequest('tools/call', { name: 'echo', arguments: { text } });
  const status = await new Promise((resolve) => {
    server.handle(
      {
        method: 'POST',
        target: '/mcp',
        headers: { ...JSON_BOTH, ...headers },
        body: Buffer.from(JSON.stringify(message)),
        send: resolve,
        stream: () => expect.unreachable(),
        onAbort: () => {},
      },
      'alice',
    );
    setImmediate(() => order.push('others'));
  });
  expect([status, ...order]).toEqual([200, 'others', 'call']);
});
