import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { buildSnapshot, createExecutor, type ToolSource } from '../../src/library/index.js';
import { connectAgent } from '../support/agent-client.js';
import { until } from '../support/http/until.js';
import { eventsOf } from '../support/hub-events.js';
import { EVERYTHING } from '../support/interop/everything-server.js';
import { requestsOf } from '../support/remote-connector.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream, type SeenRequest, type UpstreamScript } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';
import { peerScript } from '../support/stdio/peers.js';

/** Servers as tools of a model: sessions, limits, streams and processes behind them. */

const keep = closeAfterEach();
const schema = { type: 'object' };
const tool = (name: string) => ({ name, description: `does ${name}`, inputSchema: schema });
const PLAIN = { command: process.execPath, args: [peerScript('plain-server.mjs')] };

async function remote(script: UpstreamScript = {}) {
  return keep(await startUpstream({ tools: [tool('alpha')], ...script }));
}

async function snapshotOf(sources: readonly ToolSource[]) {
  return keep(await buildSnapshot(sources));
}

describe('a server that forgets the session', () => {
  const forgetOnce = (method: string) => {
    let forgotten = false;
    return ({ rpc }: SeenRequest, response: ServerResponse): boolean => {
      if (forgotten || rpc.method !== method) return false;
      forgotten = true;
      response.writeHead(404).end();
      return true;
    };
  };

  test('D22: a list is asked for once more in a new session', async () => {
    const upstream = await remote({ intercept: forgetOnce('tools/list') });
    expect((await snapshotOf([{ id: 'r', url: upstream.url }])).mapping.size).toBe(1);
    expect(requestsOf(upstream.seen, 'initialize')).toHaveLength(2);
  });

  test('D22: a call is not repeated, the next one works', async () => {
    const upstream = await remote();
    const execute = createExecutor(await snapshotOf([{ id: 'r', url: upstream.url }]));
    upstream.script = { ...upstream.script, intercept: forgetOnce('tools/call') };
    expect(await execute('mcp_r__alpha', { n: 1 })).toMatchObject({
      ok: false,
      errors: [{ code: 'MCP_SESSION_NOT_FOUND' }],
    });
    expect(await execute('mcp_r__alpha', { n: 2 })).toMatchObject({ ok: true });
    expect(requestsOf(upstream.seen, 'tools/call').map(({ rpc }) => rpc.params?.['arguments'])).toEqual([
      { n: 1 },
      { n: 2 },
    ]);
  });

  test('D22: through the hub the same', async () => {
    const upstream = await remote();
    const hub = keep(await startTestHub({ config: { connectors: { r: { url: upstream.url } } } }));
    await waitForSync(hub, 'r');
    const client = keep(await connectAgent(hub));
    upstream.script = { ...upstream.script, intercept: forgetOnce('tools/call') };
    expect(await client.callTool('r__alpha', {})).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('forgot our session') as string }],
    });
    expect(await client.callTool('r__alpha', {})).not.toHaveProperty('isError');
    expect(requestsOf(upstream.seen, 'tools/call')).toHaveLength(2);
    expect(await eventsOf(hub, 'call.finished')).toMatchObject([
      { error: 'upstream_closed' },
      { outcome: 'ok' },
    ]);
  });
});

describe('limits of answers', () => {
  const raw = (contentType: string, body: (id: unknown) => string): UpstreamScript => ({
    intercept: ({ rpc }, response) => {
      if (rpc.method !== 'tools/call') return false;
      response.writeHead(200, { 'content-type': contentType }).end(body(rpc.id));
      return true;
    },
  });
  const result = (id: unknown, text: string): string =>
    JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } });
  const big = 'x'.repeat(70_000);

  test.each<readonly [string, UpstreamScript, string]>([
    ['a JSON body', raw('application/json', (id) => result(id, big)), 'HTTP_BODY_TOO_LARGE'],
    [
      'the data of an event',
      raw('text/event-stream', (id) => `data: ${result(id, big)}\n\n`),
      'SSE_EVENT_DATA_TOO_LARGE',
    ],
    [
      'an event that cannot be read',
      raw('text/event-stream', () => 'data: {"jsonrpc"\n\n'),
      'INVALID_SSE_EVENT_DATA',
    ],
  ])('%s has a code of its own', async (_name, script, code) => {
    const upstream = await remote(script);
    const execute = createExecutor(
      await snapshotOf([{ id: 'r', url: upstream.url, limits: { responseBytes: 65_536, sseReconnects: 0 } }]),
    );
    expect(await execute('mcp_r__alpha', {})).toMatchObject({ ok: false, errors: [{ code }] });
    upstream.script = { tools: [tool('alpha')] };
    expect(await execute('mcp_r__alpha', {})).toMatchObject({ ok: true });
  });
});

describe('event streams', () => {
  /** Breaks off after the first event and answers where the client takes up the stream again. */
  const breaksOff = (retryMs: number, times: { broke?: number; back?: number }): UpstreamScript => {
    let id: unknown;
    return {
      revision: '2025-11-25',
      intercept: ({ rpc, httpMethod, headers }, response) => {
        if (rpc.method === 'tools/call') {
          id = rpc.id;
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.end(`id: event-1\nretry: ${retryMs}\ndata: \n\n`, () => (times.broke = performance.now()));
          return true;
        }
        if (httpMethod !== 'GET' || headers['last-event-id'] === undefined) return false;
        times.back = performance.now();
        const text = JSON.stringify({
          jsonrpc: '2.0',
          id,
          result: { content: [{ type: 'text', text: String(headers['last-event-id']) }] },
        });
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(`id: event-2\ndata: ${text}\n\n`);
        return true;
      },
    };
  };

  test('D23: a broken stream is taken up again with Last-Event-ID after the time the server asked for', async () => {
    const times: { broke?: number; back?: number } = {};
    const upstream = await remote(breaksOff(300, times));
    const execute = createExecutor(await snapshotOf([{ id: 'r', url: upstream.url }]));
    expect(await execute('mcp_r__alpha', {})).toMatchObject({ ok: true, data: { text: 'event-1' } });
    expect((times.back ?? 0) - (times.broke ?? 0)).toBeGreaterThanOrEqual(290);
    expect(requestsOf(upstream.seen, 'tools/call')).toHaveLength(1);
    const resumed = upstream.seen.find(({ headers }) => headers['last-event-id'] !== undefined);
    expect(resumed?.headers['mcp-session-id']).toBe(
      requestsOf(upstream.seen, 'tools/call')[0]?.headers['mcp-session-id'],
    );
  });

  test('D23: without leave to reconnect the call fails, and is not repeated', async () => {
    const upstream = await remote(breaksOff(10, {}));
    const execute = createExecutor(
      await snapshotOf([{ id: 'r', url: upstream.url, limits: { sseReconnects: 0 } }]),
    );
    expect(await execute('mcp_r__alpha', {})).toMatchObject({
      ok: false,
      errors: [{ code: 'CONNECTION_CLOSED' }],
    });
    expect(requestsOf(upstream.seen, 'tools/call')).toHaveLength(1);
  });

  test('a time-out cancels the request at the server', async () => {
    const upstream = await remote({ call: () => new Promise(() => {}) });
    const execute = createExecutor(await snapshotOf([{ id: 'r', url: upstream.url }]));
    expect(await execute('mcp_r__alpha', {}, { timeoutMs: 100 })).toMatchObject({
      ok: false,
      errors: [{ code: 'TIMEOUT' }],
    });
    await until(() => requestsOf(upstream.seen, 'notifications/cancelled').length > 0, 'the cancellation');
    const [call] = requestsOf(upstream.seen, 'tools/call');
    expect(requestsOf(upstream.seen, 'notifications/cancelled')[0]?.rpc.params).toMatchObject({
      requestId: call?.rpc.id,
    });
  });
});

describe('stdio', () => {
  test('lines in, lines out; what it says on stderr is no failure', async () => {
    const execute = createExecutor(await snapshotOf([{ id: 'p', ...PLAIN }]));
    expect(await execute('mcp_p__echo', { a: [1, 'zwei\n'] })).toMatchObject({
      ok: true,
      data: { text: '{"a":[1,"zwei\\n"]}' },
    });
  });

  test('arguments are not read by a shell, and the environment is the one that was given', async () => {
    const strange = ['$(id)', 'two words', '"; exit'];
    const snapshot = await snapshotOf([
      {
        id: 'p',
        command: process.execPath,
        args: [...PLAIN.args, '/dev/null', ...strange],
        env: { GREETING: 'hello' },
      },
    ]);
    const execute = createExecutor(snapshot);
    const { argv } = JSON.parse((await execute('mcp_p__where', {})).data.text) as { argv: string[] };
    expect(argv).toEqual(['/dev/null', ...strange]);
    const env = JSON.parse((await execute('mcp_p__env', {})).data.text) as Record<string, string>;
    expect(env['GREETING']).toBe('hello');
    expect(Object.keys(env)).not.toContain('VITEST');
  });

  test('a process that ends in the middle of a call fails it at once; the next call starts another', async () => {
    const execute = createExecutor(await snapshotOf([{ id: 'p', ...PLAIN }]));
    expect(await execute('mcp_p__crash', {})).toMatchObject({
      ok: false,
      errors: [{ code: 'STDIO_EXITED' }],
    });
    expect(await execute('mcp_p__echo', { still: 'here' })).toMatchObject({ ok: true });
  });

  test('a server written by others', async () => {
    const execute = createExecutor(
      await snapshotOf([{ id: 'every', command: process.execPath, args: [EVERYTHING, 'stdio'] }]),
    );
    expect(await execute('mcp_every__echo', '{"message":"hi"}')).toMatchObject({
      ok: true,
      data: { text: 'Echo: hi' },
    });
  });
});

describe('nothing secret in diagnostics', () => {
  test('D24: session ids and headers stand in no error', async () => {
    const upstream = await remote({
      intercept: ({ rpc }, response) =>
        rpc.method === 'tools/call' && response.writeHead(500).end('x') !== undefined,
    });
    const execute = createExecutor(
      await snapshotOf([{ id: 'r', url: upstream.url, headers: { authorization: 'Bearer canary-token' } }]),
    );
    const session = String(requestsOf(upstream.seen, 'tools/list')[0]?.headers['mcp-session-id']);
    const text = JSON.stringify(await execute('mcp_r__alpha', {}));
    expect(session.length).toBeGreaterThan(8);
    for (const secret of [session, 'canary-token']) expect(text).not.toContain(secret);
  });
});
