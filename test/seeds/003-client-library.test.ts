import { describe, expect, test } from 'vitest';
import { parseConnector } from '../../src/connectors/index.js';
import {
  buildSnapshot,
  createExecutor,
  type SnapshotOptions,
  type ToolSource,
} from '../../src/library/index.js';
import { requestsOf } from '../support/remote-connector.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream, type UpstreamScript } from '../support/scripted-upstream.js';
import { isRunning, peerScript } from '../support/stdio/peers.js';

/** Servers as tools of a model: strict configuration, snapshot, executor. */

const keep = closeAfterEach();
const schema = { type: 'object' };
const tool = (name: string) => ({ name, description: `does ${name}`, inputSchema: schema });
const PLAIN = { command: process.execPath, args: [peerScript('plain-server.mjs')] };

async function remote(script: UpstreamScript = {}) {
  return keep(await startUpstream({ tools: [tool('alpha')], ...script }));
}

async function snapshotOf(sources: readonly ToolSource[], options?: SnapshotOptions) {
  return keep(await buildSnapshot(sources, options));
}

describe('configuration is strict', () => {
  const HTTP = { url: 'https://mcp.example.com/mcp' };
  const STDIO = { command: 'my-mcp-server' };
  const parse = (input: object) => parseConnector('c', input, { source: 'file', now: 0 });

  test.each<readonly [string, object, RegExp]>([
    ['stdio without a command', { transport: 'stdio' }, /^command: a stdio connector needs a command$/],
    [
      'HTTP without a url',
      { transport: 'streamable_http' },
      /^url: a streamable_http connector needs a url$/,
    ],
    ['nothing at all', {}, /^url: /],
    [
      'stdio with url',
      { ...STDIO, transport: 'stdio', ...HTTP },
      /^url: does not belong to a stdio connector$/,
    ],
    ['stdio with headers', { ...STDIO, headers: { a: 'b' } }, /^headers: does not belong to a stdio/],
    ['stdio with auth', { ...STDIO, auth: { type: 'none' } }, /^auth: does not belong to a stdio/],
    [
      'stdio with a credential mode',
      { ...STDIO, credentialMode: 'shared' },
      /^credentialMode: does not belong/,
    ],
    [
      'stdio with a connect time-out',
      { ...STDIO, timeouts: { connectMs: 5 } },
      /^timeouts\.connectMs: does not belong to a stdio/,
    ],
    [
      'stdio with reconnects',
      { ...STDIO, limits: { sseReconnects: 5 } },
      /^limits\.sseReconnects: does not belong to a stdio/,
    ],
    [
      'HTTP with a command',
      { ...HTTP, transport: 'streamable_http', ...STDIO },
      /^command: does not belong to a streamable_http/,
    ],
    ['HTTP with args', { ...HTTP, args: [] }, /^args: does not belong/],
    ['HTTP with env', { ...HTTP, env: {} }, /^env: does not belong/],
    ['HTTP with cwd', { ...HTTP, cwd: '/tmp' }, /^cwd: does not belong/],
    ['more reconnects than allowed', { ...HTTP, limits: { sseReconnects: 21 } }, /^limits\.sseReconnects: /],
    ['an unknown field', { ...HTTP, uri: 'x' }, /uri/],
    ['an unknown transport', { ...HTTP, transport: 'websocket' }, /^transport: /],
  ])('%s is refused', (_name, input, message) => {
    expect(() => parse(input)).toThrow(message);
  });

  test('what is left out has its default', () => {
    expect(parse(HTTP)).toMatchObject({
      endpoint: { transport: 'streamable_http' },
      timeouts: { connectMs: 5_000, requestMs: 30_000, totalMs: 120_000 },
      limits: { responseBytes: 8 * 1024 * 1024, resultBytes: 200_000 },
    });
    expect(parse(STDIO)).toMatchObject({ endpoint: { transport: 'stdio', args: [], cwd: undefined } });
  });

  test.each<readonly [string, readonly object[], RegExp]>([
    ['no way to reach it', [{ id: 'a' }], /either url, command or client/],
    ['two ways', [{ id: 'a', ...HTTP, ...STDIO }], /either url, command or client/],
    [
      'headers for a process',
      [{ id: 'a', ...STDIO, headers: {} }],
      /headers does not belong to a source with command/,
    ],
    [
      'arguments for an address',
      [{ id: 'a', ...HTTP, args: [] }],
      /args does not belong to a source with url/,
    ],
    ['no id', [{ ...HTTP }], /needs an id/],
    [
      'one id twice',
      [
        { id: 'a', ...HTTP },
        { id: 'a', ...STDIO },
      ],
      /same id/,
    ],
  ])('the library refuses %s', async (_name, sources, message) => {
    await expect(buildSnapshot(sources as ToolSource[])).rejects.toThrow(message);
  });
});

describe('snapshot', () => {
  test('names mcp_<server>__<tool>, and the way back as data', async () => {
    const { url } = await remote({ tools: [tool('search'), tool('get.item'), tool('größe')] });
    const snapshot = await snapshotOf([
      { id: 'remote', url },
      { id: 'local', ...PLAIN },
    ]);
    const names = snapshot.definitions.mcp.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        'mcp_remote__search',
        'mcp_remote__get_item',
        'mcp_remote__gr__e',
        'mcp_local__echo',
      ]),
    );
    expect(snapshot.mapping.get('mcp_remote__get_item')).toEqual({ source: 'remote', tool: 'get.item' });
    expect([...snapshot.clients.keys()]).toEqual(['remote', 'local']);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  test('the same tools in the shapes of providers', async () => {
    const { url } = await remote({
      tools: [
        {
          name: 'search',
          description: 'finds',
          inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
        },
      ],
    });
    const { definitions } = await snapshotOf([{ id: 'r', url }]);
    const parameters = { type: 'object', properties: { q: { type: 'string' } } };
    expect(definitions).toEqual({
      openai: [{ type: 'function', function: { name: 'mcp_r__search', description: 'finds', parameters } }],
      anthropic: [{ name: 'mcp_r__search', description: 'finds', input_schema: parameters }],
      aiSdk: { mcp_r__search: { description: 'finds', inputSchema: parameters } },
      mcp: [{ name: 'mcp_r__search', description: 'finds', inputSchema: parameters }],
    });
  });

  test.each([
    [undefined, 128],
    [64, 64],
  ])('names longer than %s are cut and keep a hash that stays the same', async (maxNameLength, longest) => {
    const long = ['a', 'b'].map((end) => tool('x'.repeat(126) + end));
    const { url } = await remote({ tools: long });
    const options = maxNameLength === undefined ? {} : { maxNameLength };
    const first = await snapshotOf([{ id: 'server', url }], options);
    const again = await snapshotOf([{ id: 'server', url }], options);
    const names = [...first.mapping.keys()];
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toHaveLength(longest);
    expect([...again.mapping.keys()]).toEqual(names);
    expect(names.map((name) => first.mapping.get(name)?.tool)).toEqual(long.map(({ name }) => name));
  });

  test('servers whose names come to the same keep apart', async () => {
    const { url } = await remote({ tools: [tool('c')] });
    const other = await remote({ tools: [tool('b__c')] });
    const { mapping } = await snapshotOf([
      { id: 'a.b', url },
      { id: 'a_b', url },
      { id: 'a__b', url },
      { id: 'a', url: other.url },
    ]);
    expect([...mapping.values()].map(({ source }) => source).toSorted()).toEqual(['a', 'a.b', 'a__b', 'a_b']);
  });

  test('all pages are read', async () => {
    const { url } = await remote({ tools: ['a', 'b', 'c', 'd', 'e'].map(tool), pageSize: 2 });
    expect((await snapshotOf([{ id: 'r', url }])).mapping.size).toBe(5);
  });

  test('close ends processes and sessions, and may be repeated', async () => {
    const upstream = await remote();
    const snapshot = await buildSnapshot([
      { id: 'r', url: upstream.url },
      { id: 'p', ...PLAIN },
    ]);
    const execute = createExecutor(snapshot);
    const { pid } = JSON.parse((await execute('mcp_p__where', {})).data.text) as { pid: number };
    expect(isRunning(pid)).toBe(true);
    await snapshot.close();
    await snapshot.close();
    expect(isRunning(pid)).toBe(false);
    expect(upstream.methods()).toContain('DELETE');
    expect(await execute('mcp_p__where', {})).toMatchObject({ ok: false, errors: [{ code: 'CLOSED' }] });
  });

  test('if one server fails, none stays open', async () => {
    const upstream = await remote();
    await expect(
      buildSnapshot([
        { id: 'r', url: upstream.url },
        { id: 'bad', command: '/nonexistent/program' },
      ]),
    ).rejects.toMatchObject({
      code: 'STDIO_SPAWN_FAILED',
      message: expect.stringMatching(/^source bad: ./) as string,
    });
    expect(upstream.methods()).toContain('DELETE');
  });
});

describe('execution', () => {
  async function executorFor(result: object, options?: Parameters<typeof createExecutor>[1]) {
    const upstream = await remote({ call: () => result });
    return { upstream, execute: createExecutor(await snapshotOf([{ id: 'r', url: upstream.url }]), options) };
  }
  const NAME = 'mcp_r__alpha';

  test('text blocks are joined and structured content follows as JSON', async () => {
    const content = [
      { type: 'text', text: 'one' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'text', text: 'two' },
    ];
    const { execute } = await executorFor({ content, structuredContent: { n: 7 } });
    expect(await execute(NAME, { x: 1 })).toEqual({
      ok: true,
      data: { text: 'one\ntwo\n{"n":7}', content, structuredContent: { n: 7 } },
      warnings: [],
      errors: [],
    });
  });

  test('arguments may be the text a model wrote, and keep their digits', async () => {
    const { upstream, execute } = await executorFor({ content: [] });
    await execute(NAME, '{"id": 9007199254740993}');
    await execute(NAME, '');
    const [first, second] = requestsOf(upstream.seen, 'tools/call');
    expect(first?.rpc.params).toMatchObject({ name: 'alpha', arguments: { id: 9_007_199_254_740_992 } });
    expect(second?.rpc.params).toMatchObject({ arguments: {} });
  });

  test('a failure of the tool is told as such', async () => {
    const { execute } = await executorFor({
      isError: true,
      content: [{ type: 'text', text: 'no such file' }],
    });
    expect(await execute(NAME, {})).toMatchObject({
      ok: false,
      errors: [{ code: 'TOOL_ERROR', message: 'no such file' }],
    });
  });

  test('text over the limit is cut, marked and warned of', async () => {
    const { execute } = await executorFor({ content: [{ type: 'text', text: 'x'.repeat(300_000) }] });
    const { ok, data, warnings } = await execute(NAME, {});
    expect(ok).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(data.content))).toBeLessThanOrEqual(200_010);
    expect(data.text).toMatch(/\[truncated: \d+ bytes left out\]$/);
    expect(warnings).toMatchObject([{ code: 'TOOL_OUTPUT_TOO_LARGE' }]);
  });

  test('binary content over the limit becomes a description', async () => {
    const { execute } = await executorFor({
      content: [{ type: 'image', mimeType: 'image/png', data: 'A'.repeat(400_000) }],
    });
    const { data, warnings } = await execute(NAME, {});
    expect(data.text).toBe('[image, image/png, 300000 bytes: left out]');
    expect(warnings).toMatchObject([
      { code: 'TOOL_OUTPUT_TOO_LARGE', message: 'image, image/png of 300000 bytes left out' },
    ]);
  });

  test('structured content over the limit is left out whole', async () => {
    const { execute } = await executorFor({
      content: [{ type: 'text', text: 'short' }],
      structuredContent: { big: 'x'.repeat(300_000) },
    });
    const { data, warnings } = await execute(NAME, {});
    expect(data).toEqual({
      text: 'short',
      content: [{ type: 'text', text: 'short' }],
      structuredContent: undefined,
    });
    expect(warnings).toMatchObject([{ code: 'TOOL_OUTPUT_TOO_LARGE' }]);
  });

  const nested = (levels: number): object => (levels <= 1 ? {} : { inner: nested(levels - 1) });
  const endless: { self?: unknown } = {};
  endless.self = endless;

  test.each<readonly [string, unknown, string]>([
    ['more bytes than allowed', { text: 'x'.repeat(200_000) }, 'ARGUMENTS_TOO_LARGE'],
    ['as text', JSON.stringify({ text: 'x'.repeat(200_000) }), 'ARGUMENTS_TOO_LARGE'],
    ['21 levels', nested(21), 'ARGUMENTS_TOO_LARGE'],
    ['21 levels as text', JSON.stringify(nested(21)), 'ARGUMENTS_TOO_LARGE'],
    ['more than 50,000 values', { many: Array.from({ length: 50_000 }, () => 1) }, 'ARGUMENTS_TOO_LARGE'],
    ['no end', endless, 'ARGUMENTS_TOO_LARGE'],
    ['text that is not JSON', '{"a":', 'ARGUMENTS_INVALID'],
    ['something else than an object', '[1]', 'ARGUMENTS_INVALID'],
    ['one key twice', '{"a":1,"a":2}', 'ARGUMENTS_INVALID'],
    ['a value without a JSON form', { a: 1n }, 'ARGUMENTS_INVALID'],
  ])('arguments with %s never leave', async (_name, args, code) => {
    const { upstream, execute } = await executorFor({ content: [] });
    expect(await execute(NAME, args as string)).toMatchObject({ ok: false, errors: [{ code }] });
    expect(requestsOf(upstream.seen, 'tools/call')).toEqual([]);
  });

  test('20 levels are allowed', async () => {
    const { execute } = await executorFor({ content: [] });
    expect(await execute(NAME, { ...nested(20) })).toMatchObject({ ok: true });
  });

  test('an unknown name is told, not thrown', async () => {
    const { execute } = await executorFor({ content: [] });
    expect(await execute('mcp_r__nothing', {})).toMatchObject({
      ok: false,
      errors: [{ code: 'UNKNOWN_TOOL' }],
    });
  });

  test('limits are settings', async () => {
    const { execute } = await executorFor(
      { content: [{ type: 'text', text: 'x'.repeat(500) }] },
      { maxBytes: 300, maxDepth: 2 },
    );
    expect((await execute(NAME, {})).warnings).toHaveLength(1);
    expect(await execute(NAME, { a: { b: {} } })).toMatchObject({
      errors: [{ code: 'ARGUMENTS_TOO_LARGE' }],
    });
  });
});
