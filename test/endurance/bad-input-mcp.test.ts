import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkAlive, checkRow, openWays, type Entrance, type Ways } from '../support/bad-input/entrance.js';
import { call, MCP_ROWS, PARAMS, PING, said, stream } from '../support/bad-input/mcp-rows.js';
import { admin } from '../support/admin.js';
import { startUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';
import { until } from '../support/http/until.js';
import { initialize, NEWEST, request } from '../support/server/harness.js';
import { FRONTS, rawPost } from '../support/server/live-server.js';

/** Messages that are proper JSON-RPC, but no proper MCP: sessions, versions, tools and their arguments. */

const GUEST = 'cpk_guest_0123456789abcdef';
const CROWD = 'cpk_crowd_0123456789abcdef';
const QUICK_MS = 1_000;

const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });
const deep = (levels: number): object => (levels === 0 ? {} : object({ x: deep(levels - 1) }));
const TOOLS = [
  { name: 'echo', inputSchema: object({}) },
  { name: 'wait', inputSchema: object({}) },
  {
    name: 'strict',
    inputSchema: object({ a: { type: 'integer' } }, { required: ['a'], additionalProperties: false }),
  },
  { name: 'pattern', inputSchema: object({ a: { type: 'string', pattern: '^(a+)+$' } }) },
];
const BAD_SCHEMAS: Readonly<Record<string, object>> = {
  remote: object({ a: { $ref: 'http://127.0.0.1:1/schema.json' } }),
  recursive: { allOf: [{ $ref: '#' }], type: 'object' },
  // With more than 256 levels no part of the answer is read.
  deep: deep(100),
  wide: { type: 'object', anyOf: Array.from({ length: 20_000 }, (_, n) => ({ const: n })) },
};

let ways: Ways;
/** Its only tool has a schema of 5 000 levels. */
let steep: ScriptedUpstream;
const waiting: (() => void)[] = [];
beforeAll(async () => {
  const bad = Object.entries(BAD_SCHEMAS).map(([name, inputSchema]) => ({ name, inputSchema }));
  // Too deep for `JSON.stringify`, and therefore written by hand.
  const schema = `{"type":"object","properties":${'{"x":{"properties":'.repeat(2_500)}{}${'}}'.repeat(2_500)}}`;
  steep = await startUpstream({
    intercept: ({ rpc }, response) => {
      if (rpc.method !== 'tools/list') return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        `{"jsonrpc":"2.0","id":${JSON.stringify(rpc.id)},"result":{"tools":[{"name":"steep","inputSchema":${schema}}]}}`,
      );
      return true;
    },
  });
  ways = await openWays({
    script: {
      tools: [...TOOLS, ...bad],
      capabilities: { logging: {}, completions: {} },
      resources: [{ uri: 'note://one', name: 'one' }],
      templates: [{ uriTemplate: 'note://{name}/{+path}', name: 'notes' }],
      call: (name, args) => {
        const result = { content: [{ type: 'text', text: JSON.stringify(args) }] };
        return name === 'wait' ? new Promise((resolve) => waiting.push(() => resolve(result))) : result;
      },
    },
    config: {
      connectors: { steep: { url: steep.url } },
      agents: { guest: { keys: [GUEST] }, crowd: { keys: [CROWD] } },
      policies: ['all.cedar'],
    },
    files: {
      'all.cedar':
        'permit(principal == Agent::"local", action, resource);\npermit(principal == Agent::"crowd", action, resource);\npermit(principal == Agent::"guest", action, resource == Tool::"up/echo");\n',
    },
  });
}, 60_000);
afterAll(async () => {
  await ways?.close();
  await steep?.close();
});

const swapped = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()));

describe.each(FRONTS)('by $way', ({ way }) => {
  const at = (): Entrance => ways.at(way);
  const as = (key: string, session: string, message: object): string =>
    rawPost(JSON.stringify(message), { Authorization: `Bearer ${key}`, 'Mcp-Session-Id': session });

  test.each(MCP_ROWS)('$name', (one) => checkRow(at(), one));

  test('M-2: whatever is wrong with a session, the answer is the same', async () => {
    const { session } = at();
    const deleted = await at().openSession();
    await at().tell(at().bare('DELETE', '/mcp', { 'Mcp-Session-Id': deleted }));
    const foreign = await at().openSession(NEWEST, GUEST);
    const names = [
      crypto.randomUUID(),
      foreign,
      deleted,
      session.slice(0, -1),
      `${session}x`,
      swapped(session),
    ];
    const answers = await Promise.all(
      names.map((name) => at().tell(at().said(PING, { 'Mcp-Session-Id': name }))),
    );
    expect(answers.map((answer) => answer?.status)).toEqual(names.map(() => 404));
    expect(new Set(answers.map((answer) => answer?.body)).size).toBe(1);
  });

  test('M-10, M-11: a second stream, and the events of somebody else', async () => {
    const [mine, other] = [await at().openSession(), await at().openSession()];
    const connection = at().connect();
    connection.write(at().bare('GET', '/mcp', stream(mine)));
    const primed = await connection.until((received) => /id: \S+/.test(received));
    expect((await at().tell(at().bare('GET', '/mcp', stream(mine))))?.status).toBe(409);
    const id = /id: (\S+)/.exec(primed)?.[1] ?? '';
    const stolen = await at().tell(at().bare('GET', '/mcp', { ...stream(other), 'Last-Event-ID': id }));
    expect([400, 404]).toContain(stolen?.status);
  });

  test('M-12: more sessions than anybody needs', async () => {
    const begin = rawPost(JSON.stringify(initialize()), { Authorization: `Bearer ${CROWD}` });
    const answers = await Promise.all(Array.from({ length: 110 }, () => at().tell(begin)));
    const statuses = answers.map((answer) => answer?.status);
    expect([statuses.filter((s) => s === 200).length, statuses.filter((s) => s === 429).length]).toEqual([
      100, 10,
    ]);
    await checkAlive(at());
  });

  test('M-19: a tool that is hidden is as unknown as one that is not there', async () => {
    const session = await at().openSession(NEWEST, GUEST);
    const before = at().executed;
    const [hidden, unknown] = await Promise.all(
      ['up__strict', 'up__nothing'].map((name) => at().tell(as(GUEST, session, call(name, {})))),
    );
    // Each has an id of its own in the event log.
    const withoutId = (body = '') => body.replace(/"callId":"[0-9a-f-]{36}"/, '"callId":""');
    expect(withoutId(hidden?.body)).toBe(withoutId(unknown?.body));
    expect(JSON.parse(hidden?.body ?? '{}').error).toMatchObject({ code: -32_602, message: 'Unknown tool' });
    expect(at().executed).toBe(before);
  });

  test('M-28, M-33: long texts for templates and patterns', async () => {
    const uri = `note://${'{a}'.repeat(20_000)}`;
    for (const message of [
      request(1, 'resources/read', { uri }),
      call('up__pattern', { a: `${'a'.repeat(50_000)}!` }),
    ]) {
      const startedAt = performance.now();
      expect((await at().tell(at().said(message)))?.status).toBe(200);
      expect(performance.now() - startedAt).toBeLessThan(QUICK_MS);
    }
  });

  test('M-31: 100 calls at once, and 50 clients that leave', async () => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => at().json(at().call({ n }, {}, n))),
    );
    expect(answers.map(({ id, result }) => [id, JSON.parse(result.content[0].text).n])).toEqual(
      answers.map((_, n) => [n, n]),
    );
    const cancels = (): number =>
      at()
        .upstream.methods()
        .filter((m) => m === 'notifications/cancelled').length;
    const before = cancels();
    const held = waiting.length;
    const leaving = Array.from({ length: 50 }, () => at().connect());
    for (const connection of leaving)
      connection.write(at().modern('tools/call', { name: 'up__wait', arguments: {} }));
    await until(() => waiting.length === held + 50, 'all calls are at the upstream', 20_000);
    for (const { socket } of leaving) socket.destroy();
    await until(() => cancels() === before + 50, 'the upstream hears of all of them', 20_000);
    for (const finish of waiting.splice(0)) finish();
    await checkAlive(at());
  });

  test.each(Object.keys(BAD_SCHEMAS))('M-32: a tool with a schema that is %s is set aside', async (name) => {
    const { rejected, tools } = at().hub.running.hub.catalog.snapshotOf('up' as never) ?? {
      rejected: [],
      tools: [],
    };
    expect(rejected.find((offer) => offer.name === name)?.reason).toMatch(/schema/);
    expect(tools.map((tool) => tool.name)).toEqual(TOOLS.map((tool) => tool.name).toSorted());
    await checkRow(at(), said('it cannot be called', call(`up__${name}`, {}), PARAMS));
  });

  test('M-32: where there is no end to it, nothing of the list is read, and others are served', async () => {
    const { status, body } = await admin(at().hub, 'POST', '/connectors/steep/sync');
    expect([status, body]).toMatchObject([502, { error: { code: 'upstream_protocol' } }]);
    await checkAlive(at());
  });
});
