import { describe, expect, test } from 'vitest';
import { Secret } from '../kernel/index.js';
import { parseConnector } from './parse-connector.js';

const URL_ONLY = { url: 'https://mcp.example.com/mcp' };
const parse = (input: unknown, source: 'file' | 'stored' = 'file', id = 'c') =>
  parseConnector(id, input, { source, now: 7 });

describe('a connector', () => {
  test.each([
    [{ requestMs: 300_000 }, 300_000],
    [{ requestMs: 300_000, totalMs: 120_000 }, 120_000],
    [{ totalMs: 900 }, 900],
  ])('%j leaves %i ms for a whole call', (timeouts, totalMs) => {
    expect(parse({ ...URL_ONLY, timeouts }).timeouts.totalMs).toBe(totalMs);
  });

  test('is complete, whatever was left out', () => {
    expect(parse(URL_ONLY)).toEqual({
      id: 'c',
      name: 'c',
      endpoint: { transport: 'streamable_http', url: URL_ONLY.url },
      auth: { type: 'none' },
      credentialMode: 'none',
      era: 'auto',
      timeouts: { connectMs: 5_000, requestMs: 30_000, totalMs: 120_000 },
      limits: {
        responseBytes: 8_388_608,
        resultBytes: 200_000,
        sseReconnects: 5,
        breakerFailures: 5,
        memoryBytes: 0,
        cpuSeconds: 0,
        processes: 0,
        concurrency: 50,
        queue: 100,
      },
      isolation: 'per_principal',
      retries: 1,
      enabled: true,
      hideWhenUnhealthy: false,
      changedTools: 'offer',
      prompts: [],
      tags: [],
      toolTags: {},
      allowPrivateNetwork: true,
      source: 'file',
      version: 1,
      createdAt: 7,
      updatedAt: 7,
    });
  });

  test('keeps its birthday and counts its versions', () => {
    const before = parse(URL_ONLY);
    expect(parseConnector('c', URL_ONLY, { source: 'stored', now: 9, before })).toMatchObject({
      version: 2,
      createdAt: 7,
      updatedAt: 9,
    });
  });

  test.each([
    [{ type: 'http' }, 'streamable_http'],
    [{ type: 'streamable-http' }, 'streamable_http'],
    [{ type: 'streamableHttp' }, 'streamable_http'],
    [{ type: 'sse' }, 'sse'],
    [{ transport: 'sse' }, 'sse'],
    [{}, 'streamable_http'],
  ])('%j means %s', (spelling, transport) => {
    expect(parse({ ...URL_ONLY, ...spelling }).endpoint.transport).toBe(transport);
  });

  test('a command means stdio, and its environment is secret', () => {
    const { endpoint, isolation } = parse({
      command: 'node',
      args: ['a b'],
      env: { TOKEN: 'canary' },
      disabled: true,
    });
    expect(endpoint).toMatchObject({
      transport: 'stdio',
      command: 'node',
      args: ['a b'],
      cwd: undefined,
      idleStopMs: 600_000,
    });
    expect(isolation).toBe('shared');
    expect(JSON.stringify(endpoint)).not.toContain('canary');
  });

  test('P-11: what a process may use can be limited where it can be measured', () => {
    const input = { command: 'node', limits: { memoryBytes: 1_000_000 } };
    expect(parse(input).limits).toMatchObject({ memoryBytes: 1_000_000, cpuSeconds: 0, processes: 0 });
    expect(() => parseConnector('c', input, { source: 'file', now: 1, platform: 'darwin' })).toThrow(
      'limits.memoryBytes: can be held on Linux only',
    );
    expect(() => parse({ ...URL_ONLY, limits: { processes: 1 } })).toThrow(
      'limits.processes: does not belong to a streamable_http connector',
    );
  });

  test.each([
    [{ enabled: true, disabled: true }, true],
    [{ enabled: false }, false],
    [{ disabled: true }, false],
    [{ disabled: false }, true],
  ])('%j is enabled: %s', (input, enabled) => {
    expect(parse({ ...URL_ONLY, ...input }).enabled).toBe(enabled);
  });

  test.each(['', '-a_', 'a__b', '_a', 'a b', 'ä', 'x'.repeat(49), '../x', 'a/b'])(
    'the id %j is refused',
    (id) => {
      expect(() => parse(URL_ONLY, 'file', id)).toThrow(/^id: /);
    },
  );

  test.each<readonly [unknown]>([[null], [undefined], ['x'], [[]], [5]])('%j is no connector', (input) => {
    expect(() => parse(input)).toThrow(expect.objectContaining({ code: 'invalid_request' }) as Error);
  });
});

describe('auth', () => {
  test.each<readonly [string, object, RegExp]>([
    [
      'headers and auth',
      { headers: { A: 'b' }, auth: { type: 'none' } },
      /^headers: use either headers or auth/,
    ],
    ['a mode without a type', { credentialMode: 'shared' }, /^credentialMode: shared needs an auth type/],
    [
      'a type without a mode',
      { auth: { type: 'bearer' }, credentialMode: 'none' },
      /^credentialMode: none contradicts/,
    ],
    [
      'a header with a line break in its value',
      { headers: { A: 'b\r\nEvil: 1' } },
      /^headers\.A: has characters/,
    ],
    [
      'a token with a line break',
      { auth: { type: 'bearer', token: 'a\nb' } },
      /^auth\.token: has characters/,
    ],
    ['a header name with a colon', { headers: { 'A:': 'b' } }, /^headers\.A:: is not a header name/],
    [
      'a name with a space',
      { auth: { type: 'api_key', header: 'X Y' } },
      /^auth\.header: is not a header name/,
    ],
    ['Host', { headers: { Host: 'evil' } }, /^headers\.Host: is set by the transport/],
    ['a session id', { headers: { 'Mcp-Session-Id': 'x' } }, /is set by the transport/],
    [
      'content-length',
      { auth: { type: 'header', headers: { 'Content-Length': '5' } } },
      /is set by the transport/,
    ],
    ['an unknown type', { auth: { type: 'basic' } }, /^auth/],
    ['an unknown member', { auth: { type: 'bearer', secret: 'x' } }, /secret/],
  ])('%s is refused', (_what, input, message) => {
    expect(() => parse({ ...URL_ONLY, ...input })).toThrow(message);
  });

  test('secrets are wrapped', () => {
    const { auth } = parse({
      ...URL_ONLY,
      auth: { type: 'header', headers: { 'X-A': 'canary', 'X-B': null } },
    });
    expect(auth).toMatchObject({
      type: 'header',
      headers: ['X-A', 'X-B'],
      values: { 'X-A': new Secret('canary') },
    });
    expect(JSON.stringify(auth)).not.toContain('canary');
  });

  test('with a type the credential is shared unless said otherwise', () => {
    expect(parse({ ...URL_ONLY, auth: { type: 'bearer' } }).credentialMode).toBe('shared');
    expect(parse({ ...URL_ONLY, headers: { A: 'b' } }).credentialMode).toBe('shared');
  });
});

describe('who may point where', () => {
  const LOCAL = { url: 'http://127.0.0.1:8005/mcp' };

  test('the operator anywhere, others only with leave', () => {
    expect(parse(LOCAL, 'file').allowPrivateNetwork).toBe(true);
    expect(() => parse({ ...LOCAL, allowPrivateNetwork: false }, 'file')).toThrow(/private network/);
    expect(() => parse(LOCAL, 'stored')).toThrow(/private network/);
    expect(parse({ ...LOCAL, allowPrivateNetwork: true }, 'stored').allowPrivateNetwork).toBe(true);
    expect(parse(URL_ONLY, 'stored').allowPrivateNetwork).toBe(false);
    expect(() => parse({ url: 'http://mcp.example.com' }, 'stored')).toThrow(/must be https/);
  });
});
