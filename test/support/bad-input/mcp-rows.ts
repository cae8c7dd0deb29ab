import { envelope, initialize, MODERN, NEWEST, request } from '../server/harness.js';
import type { BadInput, Entrance } from './entrance.js';

/** Messages that are proper JSON-RPC, but no proper MCP. */

type Expected = Omit<BadInput, 'name' | 'send'>;
export const PING = request(1, 'ping');
export const PARAMS: Expected = { status: 200, code: -32_602 };
const HEADERS: Expected = { status: 400, code: -32_020 };
export const call = (name: unknown, args?: unknown): object =>
  request(1, 'tools/call', { name, ...(args !== undefined && { arguments: args }) });

export const said = (name: string, body: string | object, expected: Expected): BadInput => ({
  name,
  send: (at) => at.said(body),
  ...expected,
});
/** A ping with other headers. */
const headed = (
  name: string,
  headers: (at: Entrance) => Record<string, string>,
  expected: Expected,
): BadInput => ({
  name,
  send: (at) => at.said(PING, headers(at)),
  ...expected,
});
const sessionNamed = (name: string, of: (session: string) => string, status: number | number[]): BadInput =>
  headed(name, ({ session }) => ({ 'Mcp-Session-Id': of(session) }), { status });

const SESSIONS: readonly BadInput[] = [
  sessionNamed('M-1: no session', () => '', 400),
  ...['../..', '__proto__', '{"a":1}', 'constructor'].map((id) => sessionNamed(`M-3: ${id}`, () => id, 404)),
  ...["' OR 1=1 --", 'x'.repeat(12_000), '  '].map((id) =>
    sessionNamed(`M-3: ${id.slice(0, 12)}`, () => id, 400),
  ),
  sessionNamed('M-4: two', (session) => `${session}\r\nMcp-Session-Id: ${session}`, 400),
  headed(
    'M-4: in a cookie',
    ({ session }) => ({ 'Mcp-Session-Id': '', Cookie: `mcp-session-id=${session}` }),
    {
      status: 400,
    },
  ),
  {
    name: 'M-4: in the query',
    send: (at) => at.post(JSON.stringify(PING)).replace('/mcp', `/mcp?mcp-session-id=${at.session}`),
    status: 400,
  },
  {
    name: 'M-5: an id of the client',
    send: (at) => at.post(JSON.stringify(initialize()), { 'Mcp-Session-Id': 'chosen-by-me' }),
    status: 200,
    holds: ({ headers }) => !['chosen-by-me', undefined].includes(headers['mcp-session-id']),
  },
  said('M-6: twice', initialize(), { status: 400, code: -32_600 }),
  {
    name: 'M-6: in a batch',
    send: (at) => at.post(JSON.stringify([initialize('2025-03-26')])),
    status: 400,
    holds: ({ headers }) => headers['mcp-session-id'] === undefined,
  },
  {
    name: 'M-6: as a notification',
    send: (at) => at.post('{"jsonrpc":"2.0","method":"initialize","params":{}}'),
    status: [202, 400],
    holds: ({ headers }) => headers['mcp-session-id'] === undefined,
  },
  ...[undefined, {}, { protocolVersion: 7 }, { protocolVersion: NEWEST, capabilities: [] }].map((params) => ({
    name: `M-6: with ${JSON.stringify(params)}`,
    send: (at: Entrance) => at.post(JSON.stringify(request(1, 'initialize', params))),
    ...PARAMS,
  })),
  ...[
    ['2099-01-01', NEWEST],
    ['', NEWEST],
    ['2024-01-01', NEWEST],
    [MODERN, NEWEST],
  ].map(([asked, offered]) => ({
    name: `M-7: asked for "${asked}"`,
    send: (at: Entrance) => at.post(JSON.stringify(initialize(asked))),
    status: 200,
    holds: ({ body }: { readonly body: string }) => JSON.parse(body).result.protocolVersion === offered,
  })),
  ...['1999-01-01', 'garbage', `${NEWEST}, ${NEWEST}`].map((version) =>
    headed(`M-8: ${version}`, () => ({ 'MCP-Protocol-Version': version }), { status: 400 }),
  ),
  // Clients are known to name the version they know instead of the one agreed upon; the session knows better.
  headed('M-9: another version', () => ({ 'MCP-Protocol-Version': '2025-06-18' }), { status: 200 }),
  // Without a session there is no such method here, which is also what clients of the other era are told.
  { name: 'M-10: GET without a session', send: (at) => at.bare('GET'), status: 405 },
  {
    name: 'M-10: GET of another type',
    send: (at) => at.bare('GET', '/mcp', { 'Mcp-Session-Id': at.session, Accept: 'application/json' }),
    status: 406,
  },
  ...['garbage', 'abcd-1.0', '-1', '../x'].map((id) => ({
    name: `M-11: event ${id}`,
    send: (at: Entrance) => at.bare('GET', '/mcp', { ...stream(at.session), 'Last-Event-ID': id }),
    status: 400,
  })),
];

export function stream(session: string): Record<string, string> {
  return { 'Mcp-Session-Id': session, Accept: 'text/event-stream' };
}

/** A call without a session, with other headers or other params. */
const modern = (name: string, headers: Record<string, string>, expected: Expected): BadInput => ({
  name,
  send: (at) => at.call({}, headers),
  ...expected,
});
const without = (key: string): object => {
  const { [`io.modelcontextprotocol/${key}`]: _, ...rest } = envelope();
  return rest;
};

const MODERN_ROWS: readonly BadInput[] = [
  modern('M-13: another method', { 'Mcp-Method': 'tools/list' }, HEADERS),
  modern('M-13: no method', { 'Mcp-Method': '' }, HEADERS),
  modern('M-13: another name', { 'Mcp-Name': 'up__wait' }, HEADERS),
  modern('M-13: no name', { 'Mcp-Name': '' }, HEADERS),
  modern('M-13: broken Base64', { 'Mcp-Name': '=?base64?dXBfX2VjaG8?=' }, HEADERS),
  modern('M-13: no version', { 'MCP-Protocol-Version': '' }, HEADERS),
  modern('M-13: another version', { 'MCP-Protocol-Version': NEWEST }, HEADERS),
  ...['clientCapabilities'].map((key) => ({
    name: `M-14: no ${key}`,
    send: (at: Entrance) => at.modern('tools/call', { name: 'up__echo', _meta: without(key) }),
    status: 400,
    code: -32_602,
  })),
  {
    name: 'M-15: a version of the future',
    send: (at) =>
      at.modern(
        'tools/call',
        {
          name: 'up__echo',
          _meta: { ...envelope(), 'io.modelcontextprotocol/protocolVersion': '2099-01-01' },
        },
        { 'MCP-Protocol-Version': '2099-01-01' },
      ),
    status: 400,
    code: -32_022,
    holds: ({ body }) => JSON.parse(body).error.data.supported.includes(MODERN) === true,
  },
  {
    name: 'M-16: with the id of a session',
    send: (at) => at.call({}, { 'Mcp-Session-Id': at.session }),
    status: 200,
    reaches: 1,
    holds: ({ headers }) => headers['mcp-session-id'] === undefined,
  },
  ...['GET', 'DELETE'].map((method) => ({
    name: `M-17: ${method}`,
    send: (at: Entrance) =>
      at.bare(method, '/mcp', { ...stream(at.session), 'MCP-Protocol-Version': MODERN }),
    status: 405,
  })),
  ...['x', 'a.b.c', 'A'.repeat(400), ''].map((requestState) => ({
    name: `M-18: state ${JSON.stringify(requestState.slice(0, 10))}`,
    send: (at: Entrance) =>
      at.modern('tools/call', { name: 'up__echo', arguments: {}, requestState, inputResponses: {} }),
    ...PARAMS,
  })),
];

const NAMES = ['UP__ECHO', 'up__Echo', ' up__echo', 'up__echo ', 'up__echo\0', 'up__\u0435cho'];
const STRANGE = [
  'up__ec\u200bho',
  'up__%65cho',
  'echo',
  'up/echo',
  '__proto__',
  'constructor',
  '../up__echo',
];
const CARRIED = ['\0', 'a\r\nb', '\u001b[31m', '\u202eabc', '\u{1F600}', '\ud800', 'x'.repeat(3_000_000)];
const ADDRESSES = [
  'file:///etc/passwd',
  'http://169.254.169.254/latest/meta-data',
  'javascript:alert(1)',
  '\\\\host\\share',
  'note:/../../etc/passwd',
];

const TOOL_ROWS: readonly BadInput[] = [
  ...[undefined, 7, ''].map((name) => said(`M-20: name ${JSON.stringify(name)}`, call(name), PARAMS)),
  ...[...NAMES, ...STRANGE].map((name) => said(`M-21: ${JSON.stringify(name)}`, call(name, {}), PARAMS)),
  ...['x', [], 7, true].map((args) =>
    said(`M-22: arguments ${JSON.stringify(args)}`, call('up__echo', args), PARAMS),
  ),
  // The model can correct what it was told in a result.
  ...['{}', '{"a":"x"}', '{"a":null}', '{"__proto__":{"a":1}}', '{"a":1,"b":2}'].map((args) =>
    said(
      `${args.includes('"b"') ? 'M-24' : 'M-23'}: ${args}`,
      JSON.stringify(call('up__strict', 0)).replace('"arguments":0', `"arguments":${args}`),
      {
        status: 200,
        holds: ({ body }) => JSON.parse(body).result.isError === true,
      },
    ),
  ),
  ...CARRIED.map((text) =>
    said(`M-25: ${JSON.stringify(text.slice(0, 8))}`, call('up__echo', { text }), {
      status: 200,
      reaches: 1,
      holds: (_, at) => JSON.parse(at.lastCall).params.arguments.text === text,
    }),
  ),
  ...['made-up', 7, 'x'.repeat(1_000_000)].map((cursor) =>
    said(`M-26: cursor ${String(cursor).slice(0, 9)}`, request(1, 'tools/list', { cursor }), PARAMS),
  ),
  ...ADDRESSES.flatMap((uri) => [
    said(`M-27: ${uri}`, request(1, 'resources/read', { uri }), {
      status: 200,
      holds: ({ body }) => [-32_002, -32_602].includes(JSON.parse(body).error.code),
    }),
    {
      name: `M-27: ${uri}, without a session`,
      send: (at: Entrance) => at.modern('resources/read', { uri }, { 'Mcp-Name': uri }),
      ...PARAMS,
    },
  ]),
  said('M-29: level', request(1, 'logging/setLevel', { level: 'loud' }), PARAMS),
  said('M-29: reference', request(1, 'completion/complete', { ref: { type: 'ref/x' } }), PARAMS),
  said('M-29: sampling', request(1, 'sampling/createMessage', {}), { status: 200, code: -32_601 }),
  ...['x', { progressToken: {} }, { progressToken: [] }].map((_meta) =>
    said(`M-30: ${JSON.stringify(_meta)}`, request(1, 'tools/call', { name: 'up__echo', _meta }), PARAMS),
  ),
  // The message, its params and the arguments are levels too.
  ...[61, 62].map((levels) =>
    said(
      `M-34: ${levels + 3} levels`,
      JSON.stringify(call('up__echo', { a: 0 })).replace(
        '"a":0',
        `"a":${'['.repeat(levels)}${']'.repeat(levels)}`,
      ),
      levels === 61 ? { status: 200, reaches: 1 } : { status: 400, code: -32_600 },
    ),
  ),
];

export const MCP_ROWS: readonly BadInput[] = [...SESSIONS, ...MODERN_ROWS, ...TOOL_ROWS];
