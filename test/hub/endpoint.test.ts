import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { openRawAgent } from '../support/raw-agent.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

/** What the one endpoint is, whoever reads its requests. */

const keep = closeAfterEach();
const VERSION = { 'mcp-protocol-version': '2025-11-25' };
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

async function start(fastFront = true, config: object = {}) {
  const hub = keep(await startTestHub({ config: { server: { fastFront }, ...config } }));
  const ask = (method: string, path: string, headers: Record<string, string> = {}, body?: object) =>
    fetch(hub.url + path, {
      method,
      headers: {
        authorization: `Bearer ${hub.localKey}`,
        accept: 'application/json, text/event-stream',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  return { hub, ask };
}

describe.each([true, false])('fastFront %s', (fastFront) => {
  test('server.keepAliveMs: how long a quiet connection is kept, and 5 seconds more', async () => {
    const { hub, ask } = await start(fastFront, { server: { fastFront, keepAliveMs: 1_000 } });
    const answer = await ask('POST', '/mcp', {}, INITIALIZE);
    expect([answer.status, answer.headers.get('keep-alive')]).toEqual([200, 'timeout=1']);
    const { port } = new URL(hub.url);
    const socket = connect({ port: Number(port), host: '127.0.0.1' });
    socket.write(`GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    await once(socket, 'data');
    const since = performance.now();
    socket.resume();
    await once(socket, 'close');
    const keptMs = performance.now() - since;
    expect(keptMs).toBeGreaterThan(4_000);
    expect(keptMs).toBeLessThan(14_000);
  });

  test('S1: messages, the stream and the end of a session are at one path', async () => {
    const { ask } = await start(fastFront);
    const opened = await ask('POST', '/mcp', {}, INITIALIZE);
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '', ...VERSION };
    expect([opened.status, await opened.json()]).toMatchObject([200, { id: 0, result: {} }]);
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
    expect((await ask('POST', '/mcp', session, initialized)).status).toBe(202);
    const stream = await ask('GET', '/mcp', session);
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect((await ask('DELETE', '/mcp', session)).status).toBe(204);
    // The stream ends with the session.
    await stream.text();
    expect((await ask('POST', '/mcp', session, { jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(404);
  });

  test('S80: the older HTTP+SSE transport is not offered', async () => {
    const { ask } = await start(fastFront);
    // Its clients open a stream where Streamable HTTP has a session by then.
    const stream = await ask('GET', '/mcp', { accept: 'text/event-stream' });
    expect([stream.status, stream.headers.get('allow')]).toEqual([405, 'POST']);
    for (const [method, path] of [
      ['GET', '/sse'],
      ['GET', '/mcp/sse'],
      ['POST', '/messages'],
    ] as const) {
      const answer = await ask(method, path, {}, method === 'POST' ? INITIALIZE : undefined);
      expect([answer.status, answer.headers.get('content-type') ?? ''], path).toEqual([
        404,
        expect.not.stringContaining('event-stream') as string,
      ]);
    }
  });

  test.each([
    ['nothing', {}],
    ['a key that is nobody’s', { authorization: 'Bearer nobody-0123456789abcdef' }],
    ['another scheme', { authorization: 'Basic bG9jYWw6a2V5' }],
  ])(
    'S61: where keys are all there is, %s is answered with a challenge for a bearer',
    async (_what, shown) => {
      const { hub } = await start(fastFront, { auth: { server: { enabled: false } } });
      for (const path of ['/mcp', '/connectors/x/mcp', '/toolsets/x/mcp']) {
        const answer = await fetch(hub.url + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...shown },
          body: JSON.stringify(INITIALIZE),
        });
        expect([answer.status, answer.headers.get('www-authenticate')], path).toEqual([
          401,
          expect.stringMatching(/^Bearer realm="crosspoint"/) as string,
        ]);
      }
    },
  );
});

test('S42: a list is the same for every connection of an agent, in one order, whatever was called in between', async () => {
  const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
  let turn = 0;
  const script = {
    // Some servers offer more to clients of one kind, and none promises an order.
    get tools() {
      return turn++ % 2 === 0 ? [tool('b'), tool('a'), tool('c')] : [tool('c'), tool('b'), tool('a')];
    },
  };
  const [first, second] = [keep(await startUpstream(script)), keep(await startUpstream(script))];
  const connectors = { zeta: { url: first.url }, alpha: { url: second.url } };
  const { hub } = await start(true, { connectors });
  for (const name of Object.keys(connectors)) await waitForSync(hub, name);
  const names = async (agent: Awaited<ReturnType<typeof openRawAgent>>) => {
    const { result } = (await agent.request('tools/list')).message as {
      result?: { tools: { name: string }[] };
    };
    return result?.tools.map(({ name }) => name);
  };
  const expected = ['alpha', 'zeta'].flatMap((id) => ['a', 'b', 'c'].map((name) => `${id}__${name}`));
  for (const [era, capabilities] of [
    ['legacy', {}],
    ['legacy', { elicitation: {}, sampling: {}, roots: {} }],
    ['modern', {}],
    ['modern', { elicitation: { form: {}, url: {} } }],
  ] as const) {
    const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era, capabilities });
    expect(await names(agent)).toEqual(expected);
    await agent.request('tools/call', { name: 'zeta__a', arguments: {} });
    await agent.request('tools/call', { name: 'zeta__none', arguments: {} });
    expect(await names(agent)).toEqual(expected);
  }
});

test('S39: an endpoint promises what can be had there: a toolset has no prompts and resources', async () => {
  const capabilities = { completions: {}, logging: {}, resources: { subscribe: true } };
  const upstream = keep(await startUpstream({ tools: [{ name: 'a' }], capabilities }));
  const connectors = { some: { url: upstream.url } };
  const { hub } = await start(true, { connectors, toolsets: { set: { tools: ['some__*'] } } });
  await waitForSync(hub, 'some');
  const at = async (path: string) => {
    const agent = await openRawAgent({ url: hub.url + path, key: hub.localKey, era: 'modern' });
    const { result } = (await agent.request('server/discover')).message as {
      result: { capabilities: object };
    };
    const ref = { type: 'ref/prompt', name: 'x' };
    const completion = await agent.request('completion/complete', {
      ref,
      argument: { name: 'a', value: '' },
    });
    return { ...result.capabilities, completion: completion.status };
  };
  for (const path of ['/mcp', '/connectors/some/mcp'])
    expect(await at(path)).toMatchObject({ ...capabilities, completion: 200 });
  expect(await at('/toolsets/set/mcp')).toEqual({
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { listChanged: true },
    logging: {},
    completion: 404,
  });
});

test.each([
  ['as it is', {}, 'POST, GET, DELETE'],
  ['without sessions', { sessions: 'off' }, 'POST'],
  ['without streams', { streaming: 'off' }, 'POST'],
])(
  'S20 S21: whoever asks for the methods is told those that are served: %s',
  async (_how, server, served) => {
    const { ask } = await start(true, { server });
    const origin = { origin: 'http://localhost:5173', 'access-control-request-method': 'POST' };
    for (const path of ['/mcp', '/connectors/none/mcp', '/mcp/tools/call'])
      for (const headers of [{}, origin]) {
        const answer = await ask('OPTIONS', path, headers);
        const allowed = answer.headers.get('access-control-allow-methods') ?? answer.headers.get('allow');
        expect([answer.status, allowed, answer.headers.get('allow')], path).toEqual(
          path === '/mcp/tools/call' ? [204, 'POST', 'POST'] : [204, served, served],
        );
      }
  },
);
