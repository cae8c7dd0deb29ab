import { describe, expect, test } from 'vitest';
import { failure, openLegacy, openModern } from '../../../test/support/client/open-client.js';
import { metaOf, Refusal, SILENCE, type Script } from '../../../test/support/client/scripted-transport.js';
import { ProtocolError } from '../jsonrpc/index.js';
import { TransportError } from '../transports/index.js';

const OK = { content: [] };
const REVISION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const INFO = 'io.modelcontextprotocol/clientInfo';
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

test.each([
  ['legacy', openLegacy, OK],
  ['modern', openModern, { ...OK, structuredContent: null }],
] as const)('C46: null for what is left out of a result is nothing: %s', async (_era, open, expected) => {
  const nulls = { ...OK, structuredContent: null, isError: null, _meta: null };
  const { client } = await open({}, { 'tools/call': nulls });
  expect(await client.callTool('a')).toEqual(expected);
});

describe('modern requests', () => {
  test('C11: the envelope is on every request and the headers say what the body says', async () => {
    const { client, wire } = await openModern(
      { prompts: {}, resources: {}, completions: {} },
      {
        'tools/call': OK,
        'prompts/get': { messages: [] },
        'resources/read': { contents: [] },
        'completion/complete': { completion: { values: [] } },
        'vendor/thing': {},
      },
    );
    await client.callTool('grüße', { x: 1 });
    await client.getPrompt('p', { a: 'b' });
    await client.readResource('file:///path/to/file%20name.txt');
    await client.complete({ ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: 'b' } });
    await client.request('vendor/thing', { y: 2, _meta: { own: true } });
    for (const sent of wire.sent) {
      expect(metaOf(sent)).toMatchObject({
        [REVISION]: '2026-07-28',
        [CAPABILITIES]: {},
        [INFO]: { name: 'tester' },
      });
      expect(sent.headers).toMatchObject({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': sent.method });
    }
    expect(wire.sent.map((sent) => sent.headers['mcp-name'])).toEqual([
      undefined,
      '=?base64?Z3LDvMOfZQ==?=',
      'p',
      'file:///path/to/file%20name.txt',
      undefined,
      undefined,
    ]);
    expect(wire.of('tools/call')[0]!.params).toMatchObject({ name: 'grüße', arguments: { x: 1 } });
    expect(metaOf(wire.of('vendor/thing')[0]!)['own']).toBe(true);
  });

  test('C17: capabilities are declared for each request, and a call may declare others', async () => {
    const { client, wire } = await openModern(
      {},
      { 'tools/call': OK },
      { handlers: { elicitation: () => ({ action: 'decline' }) } },
    );
    await client.callTool('a');
    await client.callTool('a', {}, { capabilities: { sampling: {} } });
    await client.callTool('a', {}, { meta: { traceparent: 't', [CAPABILITIES]: 'forged' } });
    expect(wire.of('tools/call').map((sent) => metaOf(sent)[CAPABILITIES])).toEqual([
      { elicitation: {} },
      { sampling: {} },
      { elicitation: {} },
    ]);
    expect(metaOf(wire.of('tools/call')[2]!)['traceparent']).toBe('t');
  });

  test('without headers there are none', async () => {
    const { client, wire } = await openModern({}, { 'tools/call': OK }, {}, 'stdio');
    await client.callTool('a');
    expect(wire.of('tools/call')[0]!.headers).toEqual({});
    expect(metaOf(wire.of('tools/call')[0]!)[REVISION]).toBe('2026-07-28');
  });

  test('the log level goes with each request; a call may name its own', async () => {
    const { client, wire } = await openModern({}, { 'tools/call': OK });
    await client.callTool('a');
    await client.setLogLevel('warning');
    await client.callTool('a');
    await client.callTool('a', {}, { logLevel: 'debug' });
    expect(wire.of('tools/call').map((sent) => metaOf(sent)[LOG_LEVEL])).toEqual([
      undefined,
      'warning',
      'debug',
    ]);
    expect(wire.of('logging/setLevel')).toHaveLength(0);
  });

  test('C28: no resultType means complete, an unknown one is invalid', async () => {
    const plain = await openModern({}, { 'tools/call': OK });
    expect(await plain.client.callTool('a')).toEqual(OK);
    const odd = await openModern({}, { 'tools/call': { ...OK, resultType: 'partial' } });
    expect(await failure(odd.client.callTool('a'))).toMatchObject({ code: 'invalid_response' });
    const task = await openModern(
      {},
      { 'tools/call': { resultType: 'task', taskId: 't', status: 'working' } },
    );
    expect(await failure(task.client.callTool('a'))).toMatchObject({ code: 'invalid_response' });
  });

  test('C18: a request of a modern server is not answered', async () => {
    const { wire, warnings } = await openModern({}, {}, { handlers: { roots: () => ({ roots: [] }) } });
    wire.ask('s1', 'roots/list');
    wire.ask('s2', 'ping');
    expect(wire.responses).toEqual([]);
    expect(warnings.map((warning) => warning.code)).toEqual(['refused_request', 'refused_request']);
  });

  test('ping asks what the server is and renews the description', async () => {
    let version = 1;
    const { client, wire } = await openModern(
      {},
      {
        'server/discover': () => ({
          supportedVersions: ['2026-07-28'],
          capabilities: {},
          serverInfo: { name: 's', version: String(version++) },
        }),
      },
    );
    expect(client.server.info.version).toBe('1');
    await client.ping();
    expect(client.server.info.version).toBe('2');
    expect(wire.of('ping')).toHaveLength(0);
  });
});

describe('argument headers', () => {
  const TOOLS = [
    { name: 'plain', inputSchema: { type: 'object' } },
    {
      name: 'marked',
      inputSchema: {
        type: 'object',
        properties: {
          site: { type: 'string', 'x-mcp-header': 'Site' },
          n: { type: 'integer', 'x-mcp-header': 'N' },
        },
      },
    },
    {
      name: 'bad',
      inputSchema: { type: 'object', properties: { x: { type: 'number', 'x-mcp-header': 'X' } } },
    },
  ];

  test('C12: the latest schema decides; tools with unusable annotations are left out over HTTP only', async () => {
    const script: Script = {
      'tools/list': { tools: TOOLS, ttlMs: 5, cacheScope: 'public' },
      'tools/call': OK,
    };
    const { client, wire } = await openModern({ tools: {} }, script);
    const listed = await client.listTools();
    expect(listed.items.map((tool) => tool.name)).toEqual(['plain', 'marked']);
    expect(listed.rejected).toEqual([
      { name: 'bad', reason: expect.stringContaining('x-mcp-header') as string },
    ]);
    await client.callTool('marked', { site: ' ü', n: 42 });
    await client.callTool('marked', { site: null });
    await client.callTool('plain', { site: 'x' });
    const sent = wire
      .of('tools/call')
      .map(({ headers }) => Object.entries(headers).filter(([name]) => name.startsWith('mcp-param-')));
    expect(sent).toEqual([
      [
        ['mcp-param-site', '=?base64?IMO8?='],
        ['mcp-param-n', '42'],
      ],
      [],
      [],
    ]);
    const stdio = await openModern({ tools: {} }, script, {}, 'stdio');
    expect((await stdio.client.listTools()).items).toHaveLength(3);
    const legacy = await openLegacy({ tools: {} }, script);
    expect((await legacy.client.listTools()).items).toHaveLength(3);
  });

  test('C12: on -32020 the tools are listed anew and the call is sent once more', async () => {
    let calls = 0;
    const { client, wire } = await openModern(
      { tools: {} },
      {
        'tools/list': { tools: TOOLS },
        'tools/call': () => (calls++ === 0 ? new Refusal(400, -32020) : OK),
      },
    );
    expect(await client.callTool('marked', { site: 'nord' })).toEqual(OK);
    const [first, second] = wire.of('tools/call');
    expect(first!.headers['mcp-param-site']).toBeUndefined();
    expect(second!.headers['mcp-param-site']).toBe('nord');
    expect(second!.id).not.toBe(first!.id);
  });

  test('C12: a second -32020 is reported, and so is the first when the list fails', async () => {
    const stubborn = await openModern(
      { tools: {} },
      { 'tools/list': { tools: TOOLS }, 'tools/call': new Refusal(400, -32020) },
    );
    expect(await failure(stubborn.client.callTool('marked', {}))).toMatchObject({
      name: 'ProtocolError',
      code: -32020,
    });
    expect(stubborn.wire.of('tools/call')).toHaveLength(2);
    const broken = await openModern(
      { tools: {} },
      { 'tools/list': new ProtocolError(-32603, 'no'), 'tools/call': new Refusal(400, -32020) },
    );
    expect(await failure(broken.client.callTool('marked', {}))).toMatchObject({ code: -32020 });
    expect(broken.wire.of('tools/call')).toHaveLength(1);
  });
});

describe('what may be repeated', () => {
  test('C33: a lost answer is asked for again where that does no harm, with a new id, once', async () => {
    let reads = 0;
    const lost = new TransportError('SSE_STREAM_LOST', 'gone');
    const { client, wire } = await openModern(
      { resources: {} },
      {
        'resources/read': () => (reads++ === 0 ? lost : { contents: [] }),
        'tools/call': lost,
        'prompts/get': lost,
      },
    );
    await client.readResource('x://1');
    const ids = wire.of('resources/read').map((sent) => sent.id);
    expect(new Set(ids).size).toBe(2);
    expect(await failure(client.callTool('a'))).toBe(lost);
    expect(await failure(client.getPrompt('p'))).toBe(lost);
    expect([wire.of('tools/call').length, wire.of('prompts/get').length]).toEqual([1, 2]);
  });

  test('other faults of the wire are reported at once', async () => {
    const refused = new TransportError('HTTP_STATUS', 'no', { status: 503, retryAfterMs: 5 });
    const { client, wire } = await openModern({ resources: {} }, { 'resources/read': refused });
    expect(await failure(client.readResource('x://1'))).toBe(refused);
    expect(wire.of('resources/read')).toHaveLength(1);
  });
});

describe('shapes of results', () => {
  const bad: readonly [string, unknown][] = [
    ['tools/call', { content: 'text' }],
    ['prompts/get', {}],
    ['resources/read', { contents: {} }],
    ['completion/complete', { completion: {} }],
  ];
  test.each(bad)('U-20: a bad result of %s is invalid', async (method, result) => {
    const { client } = await openLegacy({}, { [method]: result as never });
    const calls: Record<string, () => Promise<unknown>> = {
      'tools/call': () => client.callTool('a'),
      'prompts/get': () => client.getPrompt('a'),
      'resources/read': () => client.readResource('a'),
      'completion/complete': () =>
        client.complete({ ref: { type: 'ref/resource', uri: 'x' }, argument: { name: 'a', value: '' } }),
    };
    expect(await failure(calls[method]!())).toMatchObject({ code: 'invalid_response' });
    expect(await client.request(method, {})).toEqual(result);
  });

  test('a tool result with structured content alone gets empty content', async () => {
    const { client } = await openLegacy({}, { 'tools/call': { structuredContent: { a: 1 } } });
    expect(await client.callTool('a')).toEqual({ structuredContent: { a: 1 }, content: [] });
  });
});

describe('log level of a legacy server', () => {
  test('is set by a request where logging is offered, else not at all', async () => {
    const offers = await openLegacy({ logging: {} }, { 'logging/setLevel': {} });
    await offers.client.setLogLevel('error');
    expect(offers.wire.of('logging/setLevel')[0]!.params).toEqual({ level: 'error' });
    const lacks = await openLegacy({}, {});
    await lacks.client.setLogLevel('error');
    expect(lacks.wire.of('logging/setLevel')).toHaveLength(0);
  });
});

test('ping of a legacy server is a request', async () => {
  const { client, wire } = await openLegacy({}, { ping: {} });
  await client.ping();
  expect(wire.of('ping')).toHaveLength(1);
  const silent = await openLegacy({}, { ping: SILENCE });
  const waiting = failure(silent.client.ping({ timeoutMs: 5 }));
  await silent.clock.advance(6);
  expect(await waiting).toMatchObject({ code: 'timeout' });
});
