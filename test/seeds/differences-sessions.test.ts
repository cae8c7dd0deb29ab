import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { initialize, openPlainSession, rpc, sendPlain } from '../support/plain-requests.js';
import { openRawAgent } from '../support/raw-agent.js';
import { startRemote, type RemoteOptions } from '../support/remote-connector.js';
import { closeAfterEach } from '../support/resources.js';
import { startTestHub } from '../support/start-hub.js';

/** Where an endpoint as somebody asked for it and the specification differ: sessions, versions and who may come in. */

const keep = closeAfterEach();
const startHub = async (server: object = {}) => keep(await startTestHub({ config: { server } }));
const start = (options?: RemoteOptions) => startRemote(keep, options);
const MODERN = '2026-07-28';

describe('D10: sessions', () => {
  test('are needed after the handshake: none is 400, an unknown one or that of another agent 404', async () => {
    const agents = { other: { keys: ['other-key-0123456789abcdef'] } };
    const hub = keep(await startTestHub({ config: { agents } }));
    const { headers } = await openPlainSession(hub, '2025-06-18');
    const list = rpc('tools/list');
    const statuses = await Promise.all([
      sendPlain(hub, { body: list }),
      sendPlain(hub, { body: list, headers: { 'mcp-session-id': 'x'.repeat(43) } }),
      sendPlain(hub, { body: list, headers, key: 'other-key-0123456789abcdef' }),
      sendPlain(hub, { body: list, headers }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([400, 404, 404, 200]);
  });

  test('S78: may be switched off, for clients that never begin one', async () => {
    const { hub } = await start({ config: { server: { sessions: 'off' } } });
    const { headers, json } = await sendPlain(hub, { body: initialize('2025-06-18') });
    expect(headers.get('mcp-session-id')).toBeNull();
    expect(JSON.stringify(json)).not.toMatch(/listChanged|subscribe|logging/);
    expect((await sendPlain(hub, { body: rpc('tools/list') })).json).toMatchObject({
      result: { tools: [{ name: 'remote__add' }] },
    });
    const call = rpc('tools/call', { name: 'remote__add', arguments: { a: 1, b: 2 } });
    expect((await sendPlain(hub, { body: call })).json).toMatchObject({
      result: { content: [{ type: 'text' }] },
    });
    for (const method of ['GET', 'DELETE'])
      expect((await sendPlain(hub, { method, headers: { 'mcp-session-id': 'x' } })).status).toBe(405);
    const modern = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'modern' });
    expect((await modern.request('tools/list')).status).toBe(200);
  });
});

describe('D11: arrays of messages', () => {
  const BATCH = [rpc('ping', {}, 1), rpc('ping', {}, 2)];

  test.each([
    ['2025-03-26', 200],
    ['2024-11-05', 400],
    ['2025-06-18', 400],
    ['2025-11-25', 400],
  ])('in a session of %s: %i', async (revision, status) => {
    const hub = await startHub();
    const { headers } = await openPlainSession(hub, revision);
    const answer = await sendPlain(hub, { headers, body: BATCH });
    expect(answer.status).toBe(status);
    if (status === 200)
      expect(answer.json).toMatchObject([
        { id: 1, result: {} },
        { id: 2, result: {} },
      ]);
    else expect(answer.json).toMatchObject({ error: { code: -32_600 } });
  });

  test('S12: without sessions too', async () => {
    const { hub } = await start({ config: { server: { sessions: 'off' } } });
    expect((await sendPlain(hub, { body: BATCH })).json).toMatchObject([{ id: 1 }, { id: 2 }]);
    const headers = { 'mcp-protocol-version': '2025-06-18' };
    expect((await sendPlain(hub, { headers, body: BATCH })).status).toBe(400);
  });

  test.each(['2025-03-26', '2024-11-05'])(
    'may be switched off: whoever wants %s is offered the newest',
    async (wanted) => {
      const hub = await startHub({ batches: false });
      const { revision, headers } = await openPlainSession(hub, wanted);
      expect(revision).toBe('2025-11-25');
      expect((await sendPlain(hub, { headers, body: BATCH })).status).toBe(400);
      expect((await openPlainSession(hub, '2025-06-18')).revision).toBe('2025-06-18');
    },
  );
});

test('D12: the version in the header: unsupported is 400, none is fine; a modern message wants it', async () => {
  const hub = await startHub();
  const { headers } = await openPlainSession(hub, '2025-06-18');
  const ping = async (version: Record<string, string>) =>
    (await sendPlain(hub, { headers: { ...headers, ...version }, body: rpc('ping') })).status;
  expect(await ping({ 'mcp-protocol-version': '1999-01-01' })).toBe(400);
  expect(await ping({})).toBe(200);
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = rpc('tools/list', { _meta });
  expect(await sendPlain(hub, { headers: { 'mcp-method': 'tools/list' }, body })).toMatchObject({
    status: 400,
    json: { error: { code: -32_020 } },
  });
});

test.each([
  ['no origin', {}, 200],
  ['localhost, any port', { origin: 'http://localhost:5173' }, 200],
  ['127.0.0.1', { origin: 'http://127.0.0.1' }, 200],
  ['one that is allowed', { origin: 'https://app.example.com' }, 200],
  ['one that is not', { origin: 'https://evil.example' }, 403],
  ['one that looks alike', { origin: 'http://localhost.evil.example' }, 403],
  ['none of its own', { origin: 'null' }, 403],
])('D13: %s', async (_who, headers, status) => {
  const hub = await startHub({ allowedOrigins: ['https://app.example.com'] });
  expect((await sendPlain(hub, { headers, body: initialize('2025-06-18') })).status).toBe(status);
});

test.each([
  ['our own', undefined, 200],
  ['another name', 'evil.example', 403],
  ['one that is allowed', 'hub.example', 200],
])('D13: Host is looked at too: %s', async (_what, host, status) => {
  const hub = await startHub({ allowedHosts: ['hub.example'] });
  const body = JSON.stringify(initialize('2025-06-18'));
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${hub.localKey}`,
    ...(host !== undefined && { host }),
  };
  const answered = new Promise<number | undefined>((resolve, reject) => {
    const sent = request(`${hub.url}/mcp`, { method: 'POST', headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end(body);
  });
  expect(await answered).toBe(status);
});

test('D14: open without a token are signs of life and what it takes to sign in, and nothing else', async () => {
  const hub = await startHub();
  const status = async (path: string, method = 'GET') =>
    (await sendPlain(hub, { method, path, key: null })).status;
  const open = [
    '/health',
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server',
    '/oauth/client-metadata.json',
  ];
  for (const path of open) expect([path, await status(path)]).toEqual([path, 200]);
  // A callback that nobody began is refused for that, not for want of a token.
  expect(await status('/oauth/callback?code=x&state=y')).toBe(400);
  for (const path of [
    '/mcp',
    '/mcp/initialize',
    '/mcp/tools/list',
    '/mcp/tools/call',
    '/connectors/sample/mcp',
  ])
    expect([path, await status(path, 'POST')]).toEqual([path, 401]);
  for (const path of ['/api/v1/status', '/api/v1/connectors', '/api/v1/openapi.json', '/metrics'])
    expect([path, await status(path)]).toEqual([path, 401]);
});

test.each([
  ['2024-11-05', '2024-11-05'],
  ['2025-03-26', '2025-03-26'],
  ['2025-06-18', '2025-06-18'],
  ['2025-11-25', '2025-11-25'],
  ['2023-01-01', '2025-11-25'],
  ['2026-07-28', '2025-11-25'],
  ['2099-01-01', '2025-11-25'],
])('D16: a client that wants %s gets %s', async (wanted, given) => {
  expect((await openPlainSession(await startHub(), wanted)).revision).toBe(given);
});
