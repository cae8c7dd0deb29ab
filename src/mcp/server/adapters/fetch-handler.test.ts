import { describe, expect, test } from 'vitest';
import { Harness, initialize, JSON_BOTH, toAnswer } from '../../../../test/support/server/harness.js';
import { createMcpServer, toFetchHandler, type FetchHandlerOptions } from '../index.js';

function open(options: FetchHandlerOptions = {}): (path: string, init?: RequestInit) => Promise<Response> {
  const server = createMcpServer({
    describe: { info: { name: 'x', version: '1' }, capabilities: {} },
    handlers: {},
  });
  const handler = toFetchHandler(server, options);
  return (path, init) => handler(new Request(`http://localhost:1${path}`, init));
}

const POST: RequestInit = { method: 'POST', headers: JSON_BOTH, body: JSON.stringify(initialize()) };

describe('paths', () => {
  test.each([
    ['/mcp', 200],
    ['/mcp?x=1', 200],
    ['/', 404],
    ['/MCP', 404],
    ['/mcp/', 404],
    ['//mcp', 404],
    ['/mcp;x=1', 404],
    ['/mcp%00', 404],
    ['/%6dcp', 404],
    [`/mcp?${'a'.repeat(8 * 1024 - 5)}`, 200],
    [`/mcp?${'a'.repeat(8 * 1024 - 4)}`, 414],
  ])('S20 H-1 H-19 H-21: %s', async (path, status) => {
    const answer = await toAnswer(await open()(path, POST));
    expect(answer.status).toBe(status);
    if (status === 404) expect(answer.text).toBe('{"error":"not found"}');
  });

  test('several, or another', async () => {
    const request = open({ paths: ['/a', '/b/mcp'] });
    expect(
      await Promise.all(['/a', '/b/mcp', '/mcp'].map(async (path) => (await request(path, POST)).status)),
    ).toEqual([200, 200, 404]);
  });
});

describe('S27 S57: who it is', () => {
  test.each([
    ['nobody', () => undefined, 401],
    ['somebody', () => 'p', 200],
    ['somebody, later', async () => 'p', 200],
    ['nobody, later', async () => undefined, 401],
    [
      'a failure',
      () => {
        throw new Error('secret');
      },
      500,
    ],
    ['a failure, later', () => Promise.reject(new Error('secret')), 500],
  ])('%s', async (_name, authenticate, status) => {
    const answer = await toAnswer(
      await open({ authenticate, challenge: 'Bearer resource_metadata="https://x"' })('/mcp', POST),
    );
    expect(answer.status).toBe(status);
    expect(answer.headers.get('www-authenticate')).toBe(
      status === 401 ? 'Bearer resource_metadata="https://x"' : null,
    );
    expect(answer.text).not.toContain('secret');
  });

  test('without authentication everybody is the same', async () => {
    const harness = new Harness({
      entry: { authenticate: undefined as never },
      call: ({ principal }) => ({ content: [], principal }),
    });
    expect((await harness.modern('tools/call', { name: 'x' })).body.result.principal).toBe('anonymous');
  });
});

describe('S7: bodies', () => {
  const body = JSON.stringify(initialize());
  test.each([
    [body.length - 1, 413],
    [body.length, 200],
    [body.length + 1, 200],
  ])('limit %i', async (maxBodyBytes, status) => {
    expect((await open({ maxBodyBytes })('/mcp', POST)).status).toBe(status);
  });

  test('counted while reading', async () => {
    let pulled = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled++;
        controller.enqueue(new Uint8Array(1000));
      },
    });
    const response = await open({ maxBodyBytes: 5000 })('/mcp', {
      method: 'POST',
      headers: JSON_BOTH,
      body: stream,
      duplex: 'half',
    });
    expect(response.status).toBe(413);
    expect(pulled).toBeLessThan(10);
  });

  test('a body that does not arrive', async () => {
    const stream = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
    const response = await open({ bodyTimeoutMs: 20 })('/mcp', {
      method: 'POST',
      headers: JSON_BOTH,
      body: stream,
      duplex: 'half',
    });
    expect(response.status).toBe(408);
  });
});

describe('S21: web pages', () => {
  const page = (origin: string): RequestInit => ({ headers: { origin } });

  test('a preflight of an allowed origin, without authentication', async () => {
    const response = await open({ authenticate: () => undefined, paramHeaders: ['mcp-param-site'] })('/mcp', {
      method: 'OPTIONS',
      ...page('http://localhost:5173'),
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
    expect(response.headers.get('vary')).toBe('Origin');
    const allowed = response.headers.get('access-control-allow-headers')?.split(', ');
    expect(allowed).toEqual(
      expect.arrayContaining([
        'authorization',
        'mcp-protocol-version',
        'mcp-session-id',
        'last-event-id',
        'mcp-param-site',
      ]),
    );
  });

  test('headers that repeat arguments of a tool are allowed as a page asks for them, others are not', async () => {
    const headers = {
      origin: 'http://localhost:5173',
      'access-control-request-headers': 'authorization, Mcp-Param-Region,x-other, mcp-param-a b',
    };
    const response = await open()('/mcp', { method: 'OPTIONS', headers });
    const allowed = response.headers.get('access-control-allow-headers')?.split(', ') ?? [];
    expect(allowed).toContain('mcp-param-region');
    expect(allowed.filter((name) => /other|param-a/.test(name))).toEqual([]);
  });

  test.each(['OPTIONS', 'POST', 'GET', 'DELETE'])('H-28 H-29: %s of a foreign origin', async (method) => {
    const response = await open()('/mcp', {
      ...(method === 'POST' && POST),
      method,
      headers: { ...JSON_BOTH, origin: 'http://evil.example' },
    });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  });

  test('answers can be read by the page that asked', async () => {
    const response = await open()('/mcp', {
      ...POST,
      headers: { ...JSON_BOTH, origin: 'http://localhost:5173' },
    });
    expect(response.headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
    expect(response.headers.get('access-control-expose-headers')).toContain('mcp-session-id');
    expect((await open()('/mcp', POST)).headers.get('access-control-allow-origin')).toBeNull();
  });

  test('H-44: OPTIONS of a program', async () => {
    const answer = await toAnswer(await open()('/mcp', { method: 'OPTIONS' }));
    expect([answer.status, answer.text, answer.headers.get('allow')]).toEqual([204, '', 'POST, GET, DELETE']);
  });
});
