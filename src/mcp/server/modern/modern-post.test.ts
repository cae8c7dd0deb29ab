import { describe, expect, test } from 'vitest';
import {
  Gate,
  Harness,
  MODERN,
  modernRequest,
  type Fields,
  type ModernOptions,
} from '../../../../test/support/server/harness.js';
import { until } from '../../../../test/support/http/until.js';
import { ProtocolError } from '../../jsonrpc/index.js';
import { prepareResult } from '../index.js';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

interface Row {
  readonly name: string;
  readonly method?: string;
  readonly params?: object;
  readonly options?: ModernOptions;
  /** Removed again. */
  readonly without?: string;
  readonly status: number;
  readonly code?: number;
  readonly data?: object;
}

describe('checks, in their order', () => {
  test.each<Row>([
    {
      name: 'S28 M-14: no protocolVersion',
      options: { meta: { [VERSION]: undefined } },
      status: 400,
      code: -32602,
    },
    {
      name: 'S28 M-14: no clientCapabilities',
      options: { meta: { [CAPABILITIES]: undefined } },
      status: 400,
      code: -32602,
    },
    {
      name: 'S28: clientCapabilities of another type',
      options: { meta: { [CAPABILITIES]: [] } },
      status: 400,
      code: -32602,
    },
    { name: 'S28: no clientInfo', options: { meta: { [CLIENT_INFO]: undefined } }, status: 200 },
    {
      name: 'S28: bad clientInfo',
      options: { meta: { [CLIENT_INFO]: { name: 1 } } },
      status: 400,
      code: -32602,
    },
    {
      name: 'S29: header and envelope differ',
      options: { meta: { [VERSION]: 'v999.0.0' } },
      status: 400,
      code: -32020,
    },
    { name: 'S29 M-13: no version header', without: 'mcp-protocol-version', status: 400, code: -32020 },
    {
      name: 'S30 M-15: unknown version',
      options: { meta: { [VERSION]: 'v999.0.0' }, headers: { 'mcp-protocol-version': 'v999.0.0' } },
      status: 400,
      code: -32022,
      data: { supported: [MODERN], requested: 'v999.0.0' },
    },
    {
      name: 'S30: a legacy version in the envelope',
      options: { meta: { [VERSION]: '2025-11-25' }, headers: { 'mcp-protocol-version': '2025-11-25' } },
      status: 400,
      code: -32022,
      data: { supported: [MODERN], requested: '2025-11-25' },
    },
    { name: 'S31 M-13: no Mcp-Method', without: 'mcp-method', status: 400, code: -32020 },
    {
      name: 'S31 M-13: another Mcp-Method',
      options: { headers: { 'mcp-method': 'tools/list' } },
      status: 400,
      code: -32020,
    },
    {
      name: 'S31: Mcp-Method in capitals',
      options: { headers: { 'mcp-method': 'TOOLS/CALL' } },
      status: 400,
      code: -32020,
    },
    { name: 'S31 M-13: no Mcp-Name', without: 'mcp-name', status: 400, code: -32020 },
    {
      name: 'S31 B1.16: another Mcp-Name',
      options: { headers: { 'mcp-name': 'other' } },
      status: 400,
      code: -32020,
    },
    { name: 'S31: blanks around Mcp-Name', options: { headers: { 'mcp-name': '  echo  ' } }, status: 200 },
    {
      name: 'S31: Mcp-Name in Base64',
      options: { headers: { 'mcp-name': '=?base64?ZWNobw==?=' } },
      status: 200,
    },
    {
      name: 'S31 M-13: broken Base64',
      options: { headers: { 'mcp-name': '=?base64?ZWNobw?=' } },
      status: 400,
      code: -32020,
    },
    {
      name: 'S38: the header twice',
      options: { headers: { 'mcp-name': 'echo, echo' } },
      status: 400,
      code: -32020,
    },
    ...[
      'initialize',
      'ping',
      'logging/setLevel',
      'resources/subscribe',
      'resources/unsubscribe',
      'tasks/result',
      'tasks/list',
      'tasks/get',
      'nope',
      '__proto__',
    ].map((method) => ({
      name: `S32: ${method}`,
      method,
      params: { uri: 'a:b', taskId: 'x' },
      status: 404,
      code: -32601,
      options: { headers: { 'mcp-name': 'x' } },
    })),
    { name: 'S36: unknown log level', options: { meta: { [LOG_LEVEL]: 'loud' } }, status: 400, code: -32602 },
    {
      name: 'M-30: progress token of another type',
      options: { meta: { progressToken: {} } },
      status: 200,
      code: -32602,
    },
    { name: 'M-20: no name', params: {}, status: 200, code: -32602 },
    {
      name: 'M-20: empty name',
      params: { name: '' },
      options: { headers: { 'mcp-name': '' } },
      status: 200,
      code: -32602,
    },
    {
      name: 'M-22: arguments as an array',
      params: { name: 'echo', arguments: [] },
      status: 200,
      code: -32602,
    },
    {
      name: 'M-26: cursor as a number',
      method: 'tools/list',
      params: { cursor: 7 },
      status: 200,
      code: -32602,
    },
    {
      name: 'M-26: cursor of a megabyte',
      method: 'tools/list',
      params: { cursor: 'x'.repeat(1_000_000) },
      status: 200,
      code: -32602,
    },
    { name: 'S51: the empty cursor is one', method: 'tools/list', params: { cursor: '' }, status: 200 },
    {
      name: 'M-29: bad completion reference',
      method: 'completion/complete',
      params: { ref: { type: 'x' }, argument: { name: 'a', value: '' } },
      status: 200,
      code: -32602,
    },
  ])('$name', async (row) => {
    const handlers = { 'completion/complete': () => ({ completion: { values: [] } }) };
    const { message, headers } = modernRequest(
      row.method ?? 'tools/call',
      row.params ?? { name: 'echo' },
      row.options,
    );
    const sent = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== row.without));
    const answer = await new Harness({ handlers }).post(message, sent);
    expect({ status: answer.status, code: answer.body.error?.code }).toEqual({
      status: row.status,
      code: row.code,
    });
    // S37: every answer names its request.
    expect(answer.body.id).toBe(1);
    if (row.data !== undefined) expect(answer.body.error.data).toEqual(row.data);
    expect(answer.headers.get('mcp-session-id')).toBeNull();
  });

  test('S32 S39: a handler whose capability is not advertised does not exist', async () => {
    const harness = new Harness({
      describe: { info: { name: 'x', version: '1' }, capabilities: { prompts: {} } },
    });
    expect((await harness.modern('tools/list')).status).toBe(404);
    expect((await harness.modern('prompts/list')).status).toBe(200);
  });

  test('tasks/* exist where the extension is advertised, and need their id in a header', async () => {
    const extensions = { 'io.modelcontextprotocol/tasks': {} };
    const harness = new Harness({
      describe: { info: { name: 'x', version: '1' }, capabilities: { extensions } },
      handlers: { 'tasks/get': ({ params }) => ({ taskId: params['taskId'] }) },
    });
    expect((await harness.modern('tasks/get', { taskId: 't' })).body.result.taskId).toBe('t');
    const wrong = await harness.modern('tasks/get', { taskId: 't' }, { headers: { 'mcp-name': 'u' } });
    expect([wrong.status, wrong.body.error.code]).toEqual([400, -32020]);
  });

  const header = { header: 'mcp-param-site', path: ['site'], type: 'string' } as const;
  test.each<[string, object, Fields, number]>([
    ['equal', { site: 'nord' }, { 'mcp-param-site': 'nord' }, 200],
    ['in Base64', { site: 'Hello' }, { 'mcp-param-site': '=?base64?SGVsbG8=?=' }, 200],
    ['missing', { site: 'nord' }, {}, 400],
    ['other', { site: 'nord' }, { 'mcp-param-site': 'sued' }, 400],
    ['badly encoded', { site: 'Hello' }, { 'mcp-param-site': '=?base64?SGVs!!!bG8=?=' }, 400],
    ['not expected for null', { site: null }, {}, 200],
    ['not expected for nothing', {}, {}, 200],
  ])('S34: parameter header %s', async (_name, args, headers, status) => {
    const harness = new Harness({ paramHeaders: (name) => (name === 'echo' ? [header] : undefined) });
    const answer = await harness.modern('tools/call', { name: 'echo', arguments: args }, { headers });
    expect([answer.status, answer.body.error?.code]).toEqual([status, status === 400 ? -32020 : undefined]);
  });

  test('S24 M-16: a session id is ignored, and none is made', async () => {
    const harness = new Harness();
    const answer = await harness.modern(
      'tools/list',
      {},
      { headers: { 'mcp-session-id': 'x', 'last-event-id': 'y' } },
    );
    expect([answer.status, answer.headers.get('mcp-session-id')]).toEqual([200, null]);
    expect(harness.count('session_opened')).toBe(0);
  });
});

describe('results', () => {
  test('S39: server/discover', async () => {
    const answer = await new Harness().modern('server/discover');
    expect(answer.body.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: [MODERN],
      capabilities: { tools: { listChanged: true } },
      instructions: 'Ask politely.',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { [SERVER_INFO]: { name: 'harness', version: '1.0.0' } },
    });
  });

  test('S40 S41: type, identity and cache hints', async () => {
    const harness = new Harness({ cache: { ttlMs: 5000, cacheScope: 'public' } });
    const list = await harness.modern('tools/list');
    expect(list.body.result).toMatchObject({ resultType: 'complete', ttlMs: 5000, cacheScope: 'public' });
    const call = await harness.modern('tools/call', { name: 'echo' });
    expect(call.body.result).toMatchObject({
      resultType: 'complete',
      _meta: { [SERVER_INFO]: { name: 'harness' } },
    });
    expect(call.body.result).not.toHaveProperty('ttlMs');
  });

  test('what a handler says itself is kept', async () => {
    const harness = new Harness({
      handlers: { 'tools/list': () => ({ tools: [], ttlMs: 7, cacheScope: 'public' }) },
      call: () => ({ resultType: 'task', taskId: 'x', ttlMs: null }),
    });
    expect((await harness.modern('tools/list')).body.result).toMatchObject({
      ttlMs: 7,
      cacheScope: 'public',
    });
    expect((await harness.modern('tools/call', { name: 'echo' })).body.result).toMatchObject({
      resultType: 'task',
      ttlMs: null,
    });
  });

  test('a prepared result is written once for each wire form', async () => {
    const tools = prepareResult({ tools: [{ name: 'a', inputSchema: { type: 'object' } }] });
    const harness = new Harness({ handlers: { 'tools/list': () => tools } });
    const session = await harness.session();
    const first = await harness.modern('tools/list');
    const second = await harness.modern('tools/list', {}, { id: 'two' });
    expect(second.body.result).toEqual(first.body.result);
    expect(second.body.id).toBe('two');
    expect((await session.request('tools/list')).body.result).toEqual({ tools: tools.result['tools'] });
    expect(tools.texts.size).toBe(2);
  });

  test.each([
    ['S50: not found', new ProtocolError(-32602, 'Resource not found', { uri: 'a:b' }), -32602],
    ['S52: a code of the other era', new ProtocolError(-32002, 'gone', { uri: 'a:b' }), -32602],
    ['an own code', new ProtocolError(-1234, 'own'), -1234],
    ['-32601 from a handler stays in band', new ProtocolError(-32601, 'no'), -32601],
  ])('%s', async (_name, error, code) => {
    const harness = new Harness({
      handlers: {
        'resources/read': () => {
          throw error;
        },
      },
    });
    const answer = await harness.modern('resources/read', { uri: 'a:b' });
    expect([answer.status, answer.body.error.code]).toEqual([200, code]);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('secret detail');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('secret detail');
      },
    ],
    ['returns nothing', () => undefined],
    [
      'returns what cannot be written',
      () => {
        const circle: Record<string, unknown> = {};
        circle['a'] = circle;
        return circle;
      },
    ],
    [
      'puts what cannot be written into an error',
      () => {
        throw new ProtocolError(-32603, 'Internal error', { a: 1n } as never);
      },
    ],
    ['asks where it may not', undefined],
  ])('a handler that %s is an internal error without detail', async (_name, handler) => {
    const harness = new Harness({
      handlers: { 'tools/list': (handler ?? ((r) => r.askClient({ a: { method: 'roots/list' } }))) as never },
    });
    const answer = await harness.modern('tools/list', {}, { capabilities: { roots: {} } });
    expect([answer.status, answer.body.error.code]).toEqual([200, -32603]);
    expect(answer.text).not.toContain('secret');
  });

  test('a handler failure is reported', async () => {
    const harness = new Harness({
      call: () => {
        throw new Error('detail');
      },
    });
    await harness.modern('tools/call', { name: 'echo' });
    expect(harness.events).toContainEqual({
      type: 'handler_failed',
      method: 'tools/call',
      error: new Error('detail'),
    });
  });

  test('describe may take its time, and may fail', async () => {
    const description = { info: { name: 'late', version: '1' }, capabilities: { tools: {} } };
    const late = new Harness({ describe: async () => description });
    expect((await late.modern('tools/list')).body.result._meta[SERVER_INFO].name).toBe('late');
    const broken = new Harness({ describe: () => Promise.reject(new Error('detail')) });
    const answer = await broken.modern('tools/list');
    expect([answer.status, answer.body.error.code, answer.text.includes('detail')]).toEqual([
      500,
      -32603,
      false,
    ]);
  });

  test('the description depends on the principal', async () => {
    const harness = new Harness({
      describe: (principal) => ({ info: { name: principal, version: '1' }, capabilities: {} }),
    });
    const answer = await harness.modern('server/discover', {}, { principal: 'bob' });
    expect(answer.body.result._meta[SERVER_INFO].name).toBe('bob');
  });

  test('handlers do not see what belongs to the hop', async () => {
    const harness = new Harness({
      call: ({ params, principal, client }) => ({
        content: [],
        seen: { params, principal, info: client.info } as never,
      }),
    });
    const answer = await harness.modern(
      'tools/call',
      { name: 'echo' },
      { meta: { progressToken: 1, traceparent: 't', 'vendor/key': 1 }, principal: 'bob' },
    );
    expect(answer.body.result.seen).toEqual({
      params: { name: 'echo', _meta: { traceparent: 't', 'vendor/key': 1 } },
      principal: 'bob',
      info: { name: 'tester', version: '1' },
    });
  });
});

describe('streams', () => {
  test('S17 S19 S48: a stream only when something goes first', async () => {
    const harness = new Harness({
      call: async (request) => {
        expect(request.wantsProgress).toBe(true);
        for (const progress of [0, 1, 1, 0.5, 2]) request.progress({ progress, total: 2, message: 'm' });
        return { content: [] };
      },
    });
    const reader = await harness.modernStream(
      'tools/call',
      { name: 'echo' },
      { meta: { progressToken: 'p' } },
    );
    expect(reader.headers.get('content-type')).toBe('text/event-stream');
    expect(reader.headers.get('cache-control')).toContain('no-cache, no-transform');
    expect(reader.headers.get('x-accel-buffering')).toBe('no');
    const messages = await reader.rest();
    expect(messages.slice(0, -1).map((message) => message.params)).toEqual(
      [0, 1, 2].map((progress) => ({ progressToken: 'p', progress, total: 2, message: 'm' })),
    );
    expect(messages.at(-1)).toMatchObject({ id: 1, result: { resultType: 'complete' } });
    expect(reader.raw).not.toContain('id: ');
  });

  test('S48: nothing without a token', async () => {
    const harness = new Harness({
      call: (request) => {
        request.progress({ progress: 1 });
        return { content: [] };
      },
    });
    const answer = await harness.modern('tools/call', { name: 'echo' });
    expect(answer.headers.get('content-type')).toBe('application/json');
  });

  test('S48: nothing after the answer', async () => {
    let late: (() => void) | undefined;
    const harness = new Harness({
      call: (request) => {
        late = () => request.progress({ progress: 2 });
        request.progress({ progress: 1 });
        return { content: [] };
      },
    });
    const reader = await harness.modernStream('tools/call', { name: 'echo' }, { meta: { progressToken: 1 } });
    late?.();
    expect(await reader.rest()).toHaveLength(2);
  });

  test('S48: too many a second are dropped', async () => {
    const harness = new Harness({
      limits: { notificationsPerSecond: 3 },
      clock: () => 1000,
      call: (request) => {
        for (let progress = 1; progress <= 5; progress++) request.progress({ progress });
        return { content: [] };
      },
    });
    const reader = await harness.modernStream('tools/call', { name: 'echo' }, { meta: { progressToken: 1 } });
    expect(await reader.rest()).toHaveLength(4);
    expect(harness.events.filter((event) => event.type === 'notification_dropped')).toHaveLength(2);
  });

  test.each([
    ['warning', ['warning', 'error']],
    ['debug', ['debug', 'warning', 'error']],
    [undefined, []],
  ])('S49: log level %s', async (level, heard) => {
    const harness = new Harness({
      call: (request) => {
        for (const each of ['debug', 'warning', 'error'] as const)
          request.log({ level: each, logger: 'l', data: { a: 1 } });
        return { content: [] };
      },
    });
    const meta = level === undefined ? {} : { [LOG_LEVEL]: level };
    const reader = await harness.modernStream('tools/call', { name: 'echo' }, { meta });
    if (heard.length === 0) {
      expect(reader.headers.get('content-type')).toBe('application/json');
      return;
    }
    const messages = await reader.rest();
    expect(messages.slice(0, -1).map((message) => message.params)).toEqual(
      heard.map((each) => ({ level: each, logger: 'l', data: { a: 1 } })),
    );
  });

  test('S18: a client that accepts JSON only gets JSON, and messages are dropped', async () => {
    const harness = new Harness({
      call: (request) => {
        request.progress({ progress: 1 });
        return { content: [] };
      },
    });
    const answer = await harness.modern(
      'tools/call',
      { name: 'echo' },
      { meta: { progressToken: 1 }, headers: { accept: 'application/json' } },
    );
    expect(answer.body.result.resultType).toBe('complete');
    expect(harness.events).toContainEqual({ type: 'notification_dropped', reason: 'unheard' });
  });

  test('JSON-only mode', async () => {
    const harness = new Harness({
      streaming: 'off',
      call: (request) => {
        request.progress({ progress: 1 });
        return { content: [] };
      },
    });
    const answer = await harness.modern('tools/call', { name: 'echo' }, { meta: { progressToken: 1 } });
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(
      (await harness.modern('tools/list', {}, { headers: { accept: 'text/event-stream' } })).status,
    ).toBe(406);
    expect((await harness.modern('subscriptions/listen', { notifications: {} })).status).toBe(404);
  });

  test('S46 R-19: closing the stream cancels', async () => {
    const gate = new Gate();
    let aborted = false;
    const harness = new Harness({
      call: async (request) => {
        request.progress({ progress: 1 });
        request.signal.addEventListener('abort', () => {
          aborted = true;
          gate.open();
        });
        await gate.passed;
        request.progress({ progress: 2 });
        return { content: [] };
      },
    });
    const reader = await harness.modernStream('tools/call', { name: 'echo' }, { meta: { progressToken: 1 } });
    await reader.message();
    await reader.cancel();
    await until(() => aborted, 'the handler hears of it');
  });

  test('S46: so does leaving before there is any answer', async () => {
    const gate = new Gate();
    let begun = false;
    const harness = new Harness({
      call: async (request) => {
        begun = true;
        await new Promise((resolve) => request.signal.addEventListener('abort', resolve));
        expect(request.signal.aborted).toBe(true);
        gate.open();
        return { content: [] };
      },
    });
    const abort = new AbortController();
    const answer = harness.modernStream('tools/call', { name: 'echo' }, { signal: abort.signal });
    answer.catch(() => {});
    await until(() => begun, 'the handler runs');
    abort.abort();
    await gate.passed;
  });

  test('an answer that takes long becomes a stream and is kept alive', async () => {
    const gate = new Gate();
    const harness = new Harness({
      streams: { upgradeAfterMs: 20, keepAliveMs: 20 },
      call: async () => {
        await gate.passed;
        return { content: [] };
      },
    });
    const reader = await harness.modernStream('tools/call', { name: 'echo' });
    while (!/keep-alive[^]*keep-alive/.test(reader.raw)) await reader.more();
    gate.open();
    expect(await reader.message()).toMatchObject({ id: 1, result: { content: [] } });
    expect(await reader.next()).toBeUndefined();
  });

  test('1.6.9: a late -32021 has status 400 while nothing was sent, and none after', async () => {
    const error = new ProtocolError(-32021, 'Needs sampling', { requiredCapabilities: { sampling: {} } });
    const harness = new Harness({
      call: async (request) => {
        request.progress({ progress: 1 });
        throw error;
      },
    });
    const early = await harness.modern('tools/call', { name: 'echo' });
    expect([early.status, early.body.error.data]).toEqual([400, { requiredCapabilities: { sampling: {} } }]);
    const reader = await harness.modernStream('tools/call', { name: 'echo' }, { meta: { progressToken: 1 } });
    expect(reader.status).toBe(200);
    expect((await reader.rest()).at(-1).error.code).toBe(-32021);
  });
});
