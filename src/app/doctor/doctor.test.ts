import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { checkAddress } from './check-address.js';
import { checkServer } from './check-server.js';
import { explainCalls } from './explain-calls.js';
import type { Step } from './step.js';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serve(listener: RequestListener): Promise<URL> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
}

/** A server of the handshake era that knows nothing but POST. */
const postOnly = handshake();

function handshake(
  list: object = { tools: [{ name: 'a', inputSchema: { type: 'object' } }, { name: 'b' }] },
  toNotice = 202,
): RequestListener {
  return (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(404).end();
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const { id, method } = JSON.parse(text) as { id?: number; method: string };
      if (id === undefined) return void response.writeHead(toNotice).end();
      const results: Readonly<Record<string, object>> = {
        initialize: {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'plain', version: '1' },
        },
        'tools/list': list,
      };
      if (method === 'tools/list' && 'status' in list)
        return void response.writeHead(Number(list.status)).end();
      const result = results[method];
      const answer = result === undefined ? { error: { code: -32_601, message: 'unknown' } } : { result };
      response
        .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    });
  };
}

async function stepsOf(url: URL): Promise<Step[]> {
  const steps: Step[] = [];
  for await (const step of checkAddress(url)) steps.push(step);
  if (steps.at(-1)?.state === 'failed') return steps;
  for await (const step of checkServer(url)) steps.push(step);
  return steps;
}

const told = (steps: readonly Step[]): string[] => steps.map(({ step, state }) => `${step} ${state}`);
const last = async (listener: RequestListener): Promise<string> => {
  const step = (await stepsOf(await serve(listener))).at(-1);
  return `${step?.step} ${step?.state}: ${step?.detail} → ${step?.advice}`;
};

test('a server that answers nothing but POST is well', async () => {
  const steps = await stepsOf(await serve(postOnly));
  expect(told(steps)).toEqual([
    'dns skipped',
    'tcp ok',
    'tls skipped',
    'http ok',
    'era ok',
    'auth ok',
    'list ok',
  ]);
  expect(steps.map(({ detail }) => detail)).toEqual(
    expect.arrayContaining(['legacy (2025-06-18), plain 1', '1 tools, 1 more that cannot be used']),
  );
});

test('a refusal is told without what the server was shown or asked at, and without what could act on a terminal', async () => {
  const url = await serve((request, response) => {
    request.resume().on('end', () => {
      const message = `\u{1B}[31mno ${request.headers.authorization} at ${request.url}`;
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_001, message } }));
    });
  });
  const shown = { headers: { authorization: 'Bearer s3cret-t0ken' }, later: undefined };
  const steps: Step[] = [];
  for await (const step of checkServer(new URL('/s/MzQ1Njc4OTAtYWJjZGVm1234/mcp', url), undefined, shown))
    steps.push(step);
  expect(steps.at(-1)?.detail).toBe('the server refuses:  [31mno Bearer *** at /s/***/mcp');
});

describe('what is wrong is told at its step', () => {
  test.each<readonly [string, RequestListener, RegExp]>([
    ['nothing at the path', (_, response) => response.writeHead(404).end(), /^http failed: HTTP 404.*\/mcp/],
    ['a broken server', (_, response) => response.writeHead(503).end(), /^http failed: HTTP 503.*log/],
    [
      'a redirect',
      (_, response) => response.writeHead(307, { location: '/mcp/' }).end(),
      /^http failed: HTTP 307: it leads to http:\/\/127\.0\.0\.1:\d+\/mcp\/ →.*Redirects are not followed/,
    ],
    [
      'a redirect to somebody who asks who comes',
      (_, response) =>
        response.writeHead(302, { location: 'https://u:p@login.example/in?ticket=secret#x' }).end(),
      /^http failed: HTTP 302: it leads to https:\/\/login\.example\/in →/,
    ],
    [
      'a redirect by a server whose address is its secret',
      (_, response) => response.writeHead(302, { location: '/s/MzQ1Njc4OTAtYWJjZGVm1234/mcp/' }).end(),
      /^http failed: HTTP 302: it leads to http:\/\/127\.0\.0\.1:\d+\/s\/\*\*\*\/mcp\/ →/,
    ],
    [
      'a redirect to nowhere',
      (_, response) => response.writeHead(302).end(),
      /^http failed: HTTP 302: it leads somewhere else →/,
    ],
    [
      'a gateway without its server',
      (_, response) => response.writeHead(502).end(),
      /^http failed: HTTP 502 → What stands before the server does not reach it/,
    ],
    [
      'nothing but silence',
      ({ socket }) => socket.destroy(),
      /^http failed: the connection broke.* → .*https:\/\//,
    ],
    [
      'a redirect of what is posted',
      ({ method }, response) =>
        response.writeHead(method === 'POST' ? 308 : 405, { location: '/mcp/' }).end(),
      /^http failed: HTTP 308.*Redirects are not followed.* \/ at the end/,
    ],
    [
      'a connection that breaks off',
      ({ method, socket }, response) =>
        method === 'POST' ? socket.destroy() : response.writeHead(405).end(),
      /^era failed: it ends the connection without an answer/,
    ],
    [
      'a web page',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      /^era failed: the answer is not that of an MCP server.*page to sign in/,
    ],
    [
      'an answer only to who accepts both types',
      (_, response) => response.writeHead(406).end(),
      /^http failed: HTTP 406.*header Accept/,
    ],
    [
      'a session that gets lost',
      (_, response) => response.writeHead(400).end(),
      /^http failed: HTTP 400.*Mcp-Session-Id/,
    ],
    [
      'an event stream that is called JSON',
      (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('data: {}\n\n'),
      /^era failed: .*content type.*text\/event-stream/,
    ],
    [
      'too many questions',
      (_, response) => response.writeHead(429).end(),
      /^http failed: HTTP 429.*asked too often/,
    ],
    [
      'a token is wanted',
      (_, response) => response.writeHead(401).end(),
      /^auth failed: HTTP 401.*--bearer-env/,
    ],
    [
      'OAuth is wanted',
      (_, response) =>
        response
          .writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="https://a.example/x"' })
          .end(),
      /^auth failed: .*by OAuth.*--oauth/,
    ],
    [
      'a session that is forgotten',
      handshake({ status: 404 }),
      /^list failed: .*forgets the session.*balancer/,
    ],
    [
      'a session that the next request does not find',
      handshake({ status: 404 }, 404),
      /^era failed: .*forgets the session.*balancer/,
    ],
    ['a session that does not arrive', handshake({ status: 400 }), /^http failed: HTTP 400.*Mcp-Session-Id/],
    [
      'pages without end',
      handshake({ tools: [], nextCursor: 'again' }),
      /^list failed: .*pages.*tell whoever wrote it/,
    ],
    [
      'more than is read',
      handshake({ tools: [], more: 'x'.repeat(9e6) }),
      /^list failed: .*larger.*limits\.responseBytes/,
    ],
    [
      'a server that says no version',
      (_, response) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} })),
      /^era failed: no protocol version in common →/,
    ],
    ['no tools', handshake({ tools: [] }), /^list ok: 0 tools → If you expect some/],
  ])('%s', async (_, listener, expected) => {
    expect(await last(listener)).toMatch(expected);
  });

  test('nobody listens', async () => {
    expect(await stepsOf(new URL('http://127.0.0.1:9/mcp'))).toContainEqual(
      expect.objectContaining({
        step: 'tcp',
        state: 'failed',
        advice: expect.stringContaining('Nothing listens there'),
      }),
    );
  });

  test('no encryption where it was expected', async () => {
    const url = await serve(postOnly);
    url.protocol = 'https:';
    expect(told(await stepsOf(url))).toEqual(['dns skipped', 'tcp ok', 'tls failed']);
  });
});

describe('calls', () => {
  const ended = (outcome: string, error?: string, count = 1) =>
    Array.from({ length: count }, () => ({ outcome, error }));

  test.each([
    ['none', [], 'skipped', /none yet/],
    ['good ones', ended('ok', undefined, 5), 'ok', /5 of the last 5/],
    [
      'a few bad ones',
      [...ended('ok', undefined, 9), ...ended('failed', 'upstream_closed')],
      'ok',
      /9 of the last 10/,
    ],
    ['wrong arguments', ended('invalid', 'arguments_invalid', 3), 'failed', /crosspoint tools --connector x/],
    ['denials', ended('denied', 'policy_denied', 2), 'failed', /policy explain/],
    ['slowness', ended('failed', 'upstream_timeout', 2), 'failed', /timeouts/],
    [
      'errors of the tool itself',
      ended('tool_error', undefined, 2),
      'failed',
      /crosspoint events --connector x/,
    ],
  ] as const)('%s', (_, calls, state, expected) => {
    const step = explainCalls('x', calls);
    expect(step.state).toBe(state);
    expect(`${step.detail} ${step.advice}`).toMatch(expected);
  });
});
