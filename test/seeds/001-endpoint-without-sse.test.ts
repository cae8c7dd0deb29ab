import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

let upstream: ScriptedUpstream;
let hub: TestHub;

beforeAll(async () => {
  upstream = await startUpstream({
    tools: [
      {
        name: 'read_file',
        description: 'Reads',
        inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
      },
    ],
  });
  hub = await startTestHub({
    config: {
      server: { streaming: 'off' },
      connectors: { files: { url: upstream.url } },
      agents: { nobody: { keys: ['nobody-key-0123456789abcdef'] } },
    },
  });
  await waitForSync(hub, 'files');
});
afterAll(async () => {
  await hub?.close();
  await upstream?.close();
});

interface Request {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly key?: string | null;
  readonly body?: unknown;
}

async function send({ method = 'POST', path = '/mcp', headers = {}, key = hub.localKey, body }: Request) {
  const answer = await fetch(hub.url + path, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    json: text.startsWith('{') ? (JSON.parse(text) as Record<string, never>) : undefined,
  };
}

const rpc = (method: string, params?: object, id: number | undefined = 1) => ({
  jsonrpc: '2.0',
  ...(id !== undefined && { id }),
  method,
  ...(params && { params }),
});
const INITIALIZE = rpc('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'curl', version: '8' },
});

async function openSession(): Promise<string> {
  return (await send({ body: INITIALIZE })).headers.get('mcp-session-id') ?? '';
}

describe('acceptance by curl', () => {
  test('initialize, list, call', async () => {
    const initialized = await send({ body: INITIALIZE });
    expect(initialized.status).toBe(200);
    expect(initialized.json).toMatchObject({
      result: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'crosspoint' },
      },
    });
    const session = initialized.headers.get('mcp-session-id') ?? '';
    expect(session.length).toBeGreaterThanOrEqual(32);
    const headers = { 'mcp-session-id': session };
    expect(
      (await send({ headers, body: { jsonrpc: '2.0', method: 'notifications/initialized' } })).status,
    ).toBe(202);
    const listed = await send({ headers, body: rpc('tools/list') });
    expect(listed.json).toMatchObject({
      result: { tools: [{ name: 'files__read_file', description: 'Reads' }] },
    });
    const called = await send({
      headers,
      body: rpc('tools/call', { name: 'files__read_file', arguments: { path: '/a' } }),
    });
    expect(called.json).toMatchObject({
      result: { content: [{ type: 'text', text: 'read_file {"path":"/a"}' }] },
    });
    expect((await send({ headers, body: rpc('ping') })).json).toMatchObject({ result: {} });
  });
});

describe('transport', () => {
  test('S39: nothing is promised that only streams could tell', async () => {
    const { json } = await send({ body: INITIALIZE });
    expect(json?.['result']).toMatchObject({ capabilities: { tools: {}, prompts: {}, resources: {} } });
    expect(JSON.stringify(json)).not.toMatch(/listChanged|subscribe|logging/);
  });

  test.each(['GET', 'DELETE'])('%s is not offered without streams', async (method) => {
    const { status, headers } = await send({ method });
    expect(status).toBe(405);
    expect(headers.get('allow')).toContain('POST');
  });
  test('invalid JSON is 400 with id null', async () => {
    const { status, json } = await send({ body: '{"jsonrpc":' });
    expect(status).toBe(400);
    expect(json).toMatchObject({ id: null, error: { code: -32_700 } });
  });
  test('a batch is 400', async () =>
    expect(
      (await send({ headers: { 'mcp-session-id': await openSession() }, body: [rpc('ping')] })).status,
    ).toBe(400));
  test('a body over the limit is 413', async () =>
    expect((await send({ body: 'x'.repeat(5 * 1024 * 1024) })).status).toBe(413));
  test('a body that arrives in pieces is read whole', async () => {
    const text = JSON.stringify(
      rpc('tools/call', { name: 'files__read_file', arguments: { path: 'x'.repeat(20_000) } }),
    );
    const body = await send({ headers: { 'mcp-session-id': await openSession() }, body: text });
    expect(body.text).toContain('x'.repeat(20_000));
  });
});

describe('security', () => {
  test('no token, no entry; health is open', async () => {
    const { status, headers } = await send({ key: null, body: INITIALIZE });
    expect([status, headers.get('www-authenticate')?.startsWith('Bearer')]).toEqual([401, true]);
    expect((await fetch(`${hub.url}/health`)).status).toBe(200);
  });
  test('a foreign origin is 403, a local one is not', async () => {
    expect((await send({ headers: { origin: 'https://evil.example' }, body: INITIALIZE })).status).toBe(403);
    expect((await send({ headers: { origin: 'http://localhost:5173' }, body: INITIALIZE })).status).toBe(200);
  });
  test('an unsupported version header is 400, none is accepted', async () => {
    const headers = { 'mcp-session-id': await openSession() };
    expect(
      (await send({ headers: { ...headers, 'mcp-protocol-version': '1999-01-01' }, body: rpc('ping') }))
        .status,
    ).toBe(400);
    expect((await send({ headers, body: rpc('ping') })).status).toBe(200);
  });
});

describe('sessions', () => {
  test('missing is 400, unknown is 404, of another agent is 404', async () => {
    expect((await send({ body: rpc('tools/list') })).status).toBe(400);
    expect((await send({ headers: { 'mcp-session-id': 'nope' }, body: rpc('tools/list') })).status).toBe(404);
    const session = await openSession();
    expect(
      (
        await send({
          key: 'nobody-key-0123456789abcdef',
          headers: { 'mcp-session-id': session },
          body: rpc('tools/list'),
        })
      ).status,
    ).toBe(404);
  });
});

describe('errors on HTTP 200', () => {
  test.each([
    ['an unknown method', rpc('nope/nope'), -32_601],
    ['an unknown tool', rpc('tools/call', { name: 'nope' }), -32_602],
    ['wrong params', rpc('tools/call', { name: 5 }), -32_602],
  ])('%s', async (_what, body, code) => {
    const { status, json } = await send({ headers: { 'mcp-session-id': await openSession() }, body });
    expect(status).toBe(200);
    expect(json).toMatchObject({ error: { code } });
  });

  test('a policy denial is -32000 and nothing is run', async () => {
    const denied = await startTestHub({
      config: { connectors: { files: { url: upstream.url } }, policies: ['deny.cedar'] },
      files: {
        'deny.cedar':
          'forbid(principal, action == Action::"call", resource) when { context has args && context.args.hasTag("path") };',
      },
    });
    try {
      await waitForSync(denied, 'files');
      const before = upstream.methods().filter((method) => method === 'tools/call').length;
      const post = async (body: object, headers: Record<string, string> = {}) =>
        fetch(`${denied.url}/mcp`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            authorization: `Bearer ${denied.localKey}`,
            ...headers,
          },
          body: JSON.stringify(body),
        });
      const session = (await post(INITIALIZE)).headers.get('mcp-session-id') ?? '';
      const answer = (await (
        await post(rpc('tools/call', { name: 'files__read_file', arguments: { path: '/a' } }), {
          'mcp-session-id': session,
        })
      ).json()) as object;
      expect(answer).toMatchObject({
        error: { code: -32_000, message: expect.stringContaining('Policy denies') as string },
      });
      expect(upstream.methods().filter((method) => method === 'tools/call')).toHaveLength(before);
    } finally {
      await denied.close();
    }
  });
});

describe('the plain routes stay', () => {
  test('initialize, list and call take params and answer results', async () => {
    expect(
      (
        await send({
          path: '/mcp/initialize',
          body: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
        })
      ).json,
    ).toMatchObject({ serverInfo: { name: 'crosspoint' } });
    expect((await send({ path: '/mcp/tools/list', body: {} })).json).toMatchObject({
      tools: [{ name: 'files__read_file' }],
    });
    expect(
      (await send({ path: '/mcp/tools/call', body: { name: 'files__read_file', arguments: { path: '/a' } } }))
        .json,
    ).toMatchObject({ content: [{ type: 'text' }] });
    expect((await send({ path: '/mcp/tools/call', body: { name: 'nope' } })).json).toMatchObject({
      error: { code: -32_602, message: 'Unknown tool' },
    });
    expect((await send({ path: '/mcp/tools/call', key: null, body: {} })).status).toBe(401);
  });

  test('an array of messages is no params', async () => {
    const body = [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }];
    expect(await send({ path: '/mcp/tools/call', body })).toMatchObject({
      status: 400,
      json: { error: { code: -32_600 } },
    });
  });
});
