import { describe, expect, test } from 'vitest';
import { initialize, openPlainSession, rpc, sendPlain } from '../support/plain-requests.js';
import { openRawAgent, type RawAgent } from '../support/raw-agent.js';
import { startRemote, type RemoteOptions } from '../support/remote-connector.js';
import { closeAfterEach } from '../support/resources.js';
import { startTestHub, type TestHub } from '../support/start-hub.js';

/** Where an endpoint as somebody asked for it and the specification differ: errors, bodies and routes. */

const keep = closeAfterEach();
const startHub = async (server: object = {}) => keep(await startTestHub({ config: { server } }));
const start = (options?: RemoteOptions) => startRemote(keep, options);
const MODERN = '2026-07-28';
const MIB = 1_048_576;

/** Spaces after a message, so that its body has exactly this size. */
const ofSize = (message: object, bytes: number): string => JSON.stringify(message).padEnd(bytes);

function chunked(hub: TestHub, parts: readonly string[]): Promise<Response> {
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const [next, ...rest] = parts;
      parts = rest;
      if (next === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(next));
    },
  });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${hub.localKey}` };
  return fetch(`${hub.url}/mcp`, { method: 'POST', headers, body, duplex: 'half' });
}

describe('D1: the status of an error is that of the era, the error is the same', () => {
  const MISSING = {
    code: -32_021,
    message: 'needs sampling',
    data: { requiredCapabilities: { sampling: {} } },
  };

  async function both(options?: RemoteOptions) {
    const { hub } = await start(options);
    const open = (era: 'legacy' | 'modern') =>
      openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era });
    return { legacy: await open('legacy'), modern: await open('modern') };
  }
  const faceOf = async (agent: RawAgent, ...asked: Parameters<RawAgent['request']>) => {
    const { status, message } = await agent.request(...asked);
    return { status, error: message?.['error'] };
  };

  /** Each request has its own id in the event log. */
  const toSame = (error: unknown): unknown =>
    JSON.parse(JSON.stringify(error).replace(/"callId":"[^"]+"/, '"callId":""'));

  test.each([
    ['an unknown method', 'nope/nope', {}, -32_601, 404],
    ['an unknown tool', 'tools/call', { name: 'nope' }, -32_602, 200],
    ['a name that is none', 'tools/call', { name: 5 }, -32_602, 200],
    ['a cursor that is none', 'tools/list', { cursor: 'nope' }, -32_602, 200],
  ])('%s', async (_what, method, params, code, status) => {
    const { legacy, modern } = await both();
    const old = await faceOf(legacy, method, params);
    expect(old).toMatchObject({ status: 200, error: { code } });
    const error = toSame(old.error);
    expect(toSame((await faceOf(modern, method, params)).error)).toEqual(error);
    expect((await faceOf(modern, method, params)).status).toBe(status);
  });

  test('the four that are 400 for a modern client', async () => {
    const { modern } = await both({
      script: {
        intercept: ({ rpc: { method, id } }, response) => {
          if (method !== 'tools/call') return false;
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ jsonrpc: '2.0', id, error: MISSING }));
          return true;
        },
      },
    });
    const ask = (headers: Record<string, string>) => faceOf(modern, 'tools/list', {}, headers);
    expect(await ask({ 'mcp-method': 'tools/call' })).toMatchObject({
      status: 400,
      error: { code: -32_020 },
    });
    const calling = { name: 'remote__add', arguments: { a: 1, b: 2 } };
    expect(await faceOf(modern, 'tools/call', calling)).toMatchObject({
      status: 400,
      error: { code: -32_021, data: MISSING.data },
    });
    const hub = await startHub();
    const envelope = (version: string) => ({
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    });
    const post = (_meta: object, version: string) =>
      sendPlain(hub, {
        headers: { 'mcp-protocol-version': version, 'mcp-method': 'tools/list' },
        body: rpc('tools/list', { _meta }),
      });
    expect(await post(envelope('2027-01-01'), '2027-01-01')).toMatchObject({
      status: 400,
      json: { error: { code: -32_022, data: { supported: [MODERN], requested: '2027-01-01' } } },
    });
    const { 'io.modelcontextprotocol/clientCapabilities': _left, ...rest } = envelope(MODERN);
    expect(await post(rest, MODERN)).toMatchObject({ status: 400, json: { error: { code: -32_602 } } });
  });
});

describe('D2: what cannot be read is 400 in both eras', () => {
  test.each([
    ['no JSON', '{"jsonrpc":', -32_700],
    ['no request', '{"jsonrpc":"1.0","method":"ping"}', -32_600],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32_600],
  ])('%s', async (_what, body, code) => {
    const hub = await startHub();
    const { headers } = await openPlainSession(hub, '2025-11-25');
    const old = await sendPlain(hub, { headers, body });
    expect(old).toMatchObject({ status: 400, json: { id: null, error: { code } } });
    const modern = { 'mcp-protocol-version': MODERN, 'mcp-method': 'ping' };
    const { status, json } = await sendPlain(hub, { headers: modern, body });
    expect([status, json]).toEqual([
      400,
      { jsonrpc: '2.0', error: expect.objectContaining({ code }) as object },
    ]);
  });
});

describe('D3: bodies in chunks', () => {
  const text = JSON.stringify(initialize('2025-11-25'));
  const parts = [text.slice(0, 20), text.slice(20)];

  test('are read', async () => expect((await chunked(await startHub(), parts)).status).toBe(200));

  test('are counted while they are read', async () => {
    const hub = await startHub({ maxBodyBytes: 65_536 });
    const answer = await chunked(hub, [...parts, ...Array.from({ length: 20 }, () => ' '.repeat(8_192))]);
    expect(answer.status).toBe(413);
  });

  test('are refused where that is wanted', async () =>
    expect((await chunked(await startHub({ rejectChunked: true }), parts)).status).toBe(400));
});

describe('D4: how much is read', () => {
  test.each([
    ['1 MiB, where that is set', { maxBodyBytes: MIB }, MIB],
    ['as it comes', {}, 4 * MIB],
  ])('of a request: %s', async (_what, server, limit) => {
    const hub = await startHub(server);
    const post = async (bytes: number) =>
      (await sendPlain(hub, { body: ofSize(initialize('2025-11-25'), bytes) })).status;
    expect([await post(limit), await post(limit + 1)]).toEqual([200, 413]);
  });

  test('of an answer: 8 MiB', async () => {
    const message = (id: unknown) => ({
      jsonrpc: '2.0',
      id,
      result: { content: [{ type: 'text', text: 'x' }] },
    });
    let bytes = 8 * MIB;
    const { call } = await start({
      script: {
        intercept: ({ rpc: { method, id } }, response) => {
          if (method !== 'tools/call') return false;
          response.writeHead(200, { 'content-type': 'application/json' }).end(ofSize(message(id), bytes));
          return true;
        },
      },
    });
    expect(await call()).toMatchObject({ content: [{ text: 'x' }] });
    bytes++;
    expect(await call()).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('too large') as string }],
    });
  });
});

test('D32: the plain routes are three, and take no other path below /mcp', async () => {
  const { hub } = await start();
  const post = (path: string, body: object) => sendPlain(hub, { path, body });
  const { capabilities, ...rest } =
    (await post('/mcp/initialize', initialize('2025-06-18').params)).json ?? {};
  expect([capabilities, rest]).toMatchObject([{ tools: {} }, { protocolVersion: '2025-06-18' }]);
  expect((await post('/mcp/tools/list', {})).json).toMatchObject({ tools: [{ name: 'remote__add' }] });
  const call = { name: 'remote__add', arguments: { a: 1, b: 2 } };
  expect((await post('/mcp/tools/call', call)).json).toMatchObject({ content: [{ type: 'text' }] });
  expect((await post('/mcp/tools/call', { name: 'nope' })).json).toMatchObject({
    error: { code: -32_602, message: 'Unknown tool' },
  });
  for (const path of ['/mcp/server-card', '/mcp/c/remote', '/mcp/ping', '/mcp/tools'])
    expect([path, (await post(path, {})).status]).toEqual([path, 404]);
});
