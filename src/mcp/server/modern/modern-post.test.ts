import { describe, expect, test } from 'vitest';
import {
  Harness,
  MODERN,
  modernRequest,
  type Fields,
  type ModernOptions,
} from '../../../../test/support/server/harness.js';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

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
