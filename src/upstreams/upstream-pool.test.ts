import { afterEach, describe, expect, test, vi } from 'vitest';
import { until } from '../../test/support/http/until.js';
import { requestsOf } from '../../test/support/remote-connector.js';
import { closeAfterEach } from '../../test/support/resources.js';
import { startUpstream, type UpstreamScript } from '../../test/support/scripted-upstream.js';
import { isRunning, peerScript } from '../../test/support/stdio/peers.js';
import { parseConnector, type Connector } from '../connectors/index.js';
import { ANONYMOUS, type Access } from '../credentials/index.js';
import { silentLogger, toAgentId, type Clock } from '../kernel/index.js';
import type { Caller } from './upstream.js';
import { createUpstreamPool } from './upstream-pool.js';

const keep = closeAfterEach();
afterEach(() => {
  vi.useRealTimers();
});

const ALICE: Caller = { principal: toAgentId('alice') };
const BOB: Caller = { principal: toAgentId('bob') };
const TOKEN: Access = { id: 'shared:1', owner: 'shared', headers: { authorization: 'Bearer one' } };
const OTHER: Access = { id: 'shared:2', owner: 'shared', headers: { authorization: 'Bearer two' } };

/** Time that passes when the test says so. */
function handClock(): Clock & { pass(ms: number): void } {
  let ms = 0;
  return { now: () => ms, monotonic: () => ms, pass: (more) => void (ms += more) };
}

async function setUp(input: object = {}, script: UpstreamScript = {}) {
  const upstream = keep(
    await startUpstream({ tools: [{ name: 't', inputSchema: { type: 'object' } }], ...script }),
  );
  const clock = handClock();
  const heard: string[] = [];
  const pool = keep(
    createUpstreamPool({
      info: { name: 'hub', version: '1' },
      clock,
      logger: silentLogger,
      onListChanged: (id) => heard.push(id),
    }),
  );
  const parse = (more: object = {}, now = 0): Connector =>
    parseConnector('c', { url: upstream.url, ...input, ...more }, { source: 'file', now });
  return { upstream, pool, clock, heard, parse, connector: parse() };
}

type Pool = Awaited<ReturnType<typeof setUp>>['pool'];

async function use(pool: Pool, connector: Connector, access: Access, caller: Caller, tool = 't', args = {}) {
  const lease = await pool.open(connector, access, caller);
  try {
    return await lease.upstream.callTool(tool, args, {});
  } finally {
    lease.release();
  }
}

test('U-14: an upstream that refuses the conversation itself and quotes the token is not quoted', async () => {
  const intercept: UpstreamScript['intercept'] = ({ rpc, headers }, response) => {
    const error = { code: -32_602, message: `no: ${String(headers['authorization'])}` };
    response.writeHead(200, { 'content-type': 'application/json' });
    return response.end(JSON.stringify({ jsonrpc: '2.0', id: rpc.id, error })) !== undefined;
  };
  const { pool, connector } = await setUp({}, { intercept });
  const access: Access = { ...TOKEN, headers: { authorization: 'Bearer s3cret-t0ken' } };
  const refused = { code: 'upstream_rejected', message: 'no: Bearer ***' };
  await expect(pool.open(connector, access, ALICE)).rejects.toMatchObject(refused);
  const watched = pool.watch(connector, access, { principal: toAgentId('alice') }, 'x:1', {
    updated() {},
    lost() {},
  });
  await expect(watched).rejects.toMatchObject(refused);
});

describe('whose conversation it is', () => {
  const SESSION = (session: string): Caller => ({ ...ALICE, session });
  test.each<readonly [string, readonly (readonly [Access, Caller])[], number]>([
    [
      'shared',
      [
        [TOKEN, ALICE],
        [TOKEN, BOB],
        [TOKEN, ALICE],
      ],
      1,
    ],
    [
      'shared',
      [
        [TOKEN, ALICE],
        [OTHER, ALICE],
      ],
      2,
    ],
    [
      'shared',
      [
        [TOKEN, ALICE],
        [ANONYMOUS, ALICE],
      ],
      2,
    ],
    [
      'per_principal',
      [
        [TOKEN, ALICE],
        [TOKEN, BOB],
        [TOKEN, ALICE],
      ],
      2,
    ],
    [
      'per_principal',
      [
        [TOKEN, ALICE],
        [OTHER, ALICE],
      ],
      2,
    ],
    [
      'per_session',
      [
        [TOKEN, SESSION('1')],
        [TOKEN, SESSION('2')],
        [TOKEN, SESSION('1')],
      ],
      2,
    ],
    [
      'per_session',
      [
        [TOKEN, SESSION('1')],
        [TOKEN, { ...BOB, session: '1' }],
      ],
      2,
    ],
    [
      'per_call',
      [
        [TOKEN, ALICE],
        [TOKEN, ALICE],
        [TOKEN, ALICE],
      ],
      3,
    ],
  ])('B8, B2.4: %s', async (isolation, uses, sessions) => {
    const { upstream, pool, connector } = await setUp({ isolation });
    for (const [access, caller] of uses) await use(pool, connector, access, caller);
    const calls = requestsOf(upstream.seen, 'tools/call');
    expect(calls).toHaveLength(uses.length);
    expect(new Set(calls.map(({ headers }) => headers['mcp-session-id'])).size).toBe(sessions);
    for (const [index, [access]] of uses.entries())
      expect(calls[index]?.headers['authorization']).toBe(access.headers['authorization']);
  });

  test('callers at the same time share one handshake', async () => {
    const { upstream, pool, connector } = await setUp({ isolation: 'shared' });
    await Promise.all([1, 2, 3, 4, 5].map(() => use(pool, connector, TOKEN, ALICE)));
    expect(requestsOf(upstream.seen, 'initialize')).toHaveLength(1);
  });

  test('a conversation for one call ends with it', async () => {
    const { upstream, pool, connector } = await setUp({ isolation: 'per_call' });
    await use(pool, connector, TOKEN, ALICE);
    await until(() => requestsOf(upstream.seen, 'DELETE').length === 1, 'the goodbye');
    expect(requestsOf(upstream.seen, 'tools/call')).toHaveLength(1);
  });
});

describe('end of a conversation', () => {
  test('one that nobody used for long is ended; one in use is not', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { upstream, pool, connector, clock } = await setUp();
    await use(pool, connector, TOKEN, BOB);
    const lease = await pool.open(connector, TOKEN, ALICE);
    clock.pass(300_001);
    vi.advanceTimersByTime(15_000);
    await until(() => requestsOf(upstream.seen, 'DELETE').length === 1, 'the goodbye');
    expect(await lease.upstream.callTool('t', {}, {})).toMatchObject({ content: [{ type: 'text' }] });
    lease.release();
    lease.release();
    clock.pass(300_001);
    vi.advanceTimersByTime(15_000);
    await until(() => requestsOf(upstream.seen, 'DELETE').length === 2, 'the second goodbye');
  });

  test.each([
    [1_000, false],
    [0, true],
  ])('a process with an idle time of %i ms still runs after an hour: %s', async (idleStopMs, expected) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { pool, clock } = await setUp();
    const process_ = parseConnector(
      'p',
      { command: process.execPath, args: [peerScript('plain-server.mjs')], idleStopMs },
      { source: 'file', now: 0 },
    );
    const where = async (): Promise<number> => {
      const { content } = await use(pool, process_, ANONYMOUS, ALICE, 'where');
      return (JSON.parse(String(content[0]?.['text'])) as { pid: number }).pid;
    };
    const pid = await where();
    clock.pass(3_600_000);
    vi.advanceTimersByTime(1_000);
    if (!expected) await until(() => !isRunning(pid), 'the end of the process');
    expect(isRunning(pid)).toBe(expected);
    expect((await where()) === pid).toBe(expected);
  });

  test('a dropped connector says goodbye, and the next use begins anew', async () => {
    const { upstream, pool, connector } = await setUp();
    await use(pool, connector, TOKEN, ALICE);
    await use(pool, connector, TOKEN, BOB);
    await pool.drop('c');
    expect(requestsOf(upstream.seen, 'DELETE')).toHaveLength(2);
    await use(pool, connector, TOKEN, ALICE);
    expect(requestsOf(upstream.seen, 'initialize')).toHaveLength(3);
  });

  test('dropping one leaves the others alone', async () => {
    const { upstream, pool, connector } = await setUp();
    const other = parseConnector('other', { url: upstream.url }, { source: 'file', now: 0 });
    await use(pool, connector, TOKEN, ALICE);
    await use(pool, other, TOKEN, ALICE);
    await pool.drop('c');
    await use(pool, other, TOKEN, ALICE);
    expect(requestsOf(upstream.seen, 'initialize')).toHaveLength(2);
  });

  test('the pool may be closed twice', async () => {
    const { upstream, pool, connector } = await setUp();
    await use(pool, connector, TOKEN, ALICE);
    await Promise.all([pool.close(), pool.close()]);
    await pool.close();
    expect(requestsOf(upstream.seen, 'DELETE')).toHaveLength(1);
    await expect(use(pool, connector, TOKEN, ALICE)).rejects.toMatchObject({ code: 'shutting_down' });
    expect(requestsOf(upstream.seen, 'initialize')).toHaveLength(1);
  });
});

describe('a changed connector', () => {
  test('is spoken to anew, and the old description can no longer be used', async () => {
    const { upstream, pool, parse } = await setUp();
    const [before, after] = [parse(), parse({ timeouts: { requestMs: 5_000 } }, 1)];
    await use(pool, before, TOKEN, ALICE);
    await use(pool, after, TOKEN, ALICE);
    await expect(use(pool, before, TOKEN, ALICE)).rejects.toMatchObject({
      code: 'upstream_closed',
      outcomeUnknown: false,
    });
    await use(pool, after, TOKEN, ALICE);
    expect(requestsOf(upstream.seen, 'initialize')).toHaveLength(2);
    await until(() => requestsOf(upstream.seen, 'DELETE').length === 1, 'the goodbye to the first session');
  });
});

describe('failure to open', () => {
  test('is told, not remembered', async () => {
    let up = false;
    const { pool, connector } = await setUp(
      {},
      { intercept: (_request, response) => !up && response.writeHead(503).end() !== undefined },
    );
    await expect(use(pool, connector, TOKEN, ALICE)).rejects.toMatchObject({
      code: 'upstream_unavailable',
      outcomeUnknown: false,
    });
    up = true;
    expect(await use(pool, connector, TOKEN, ALICE)).toMatchObject({ content: [{ type: 'text' }] });
  });

  test('gives every turn back', async () => {
    const { pool, connector } = await setUp(
      { limits: { concurrency: 1, queue: 0 } },
      { intercept: (_request, response) => response.writeHead(503).end() !== undefined },
    );
    for (const _ of [1, 2, 3])
      await expect(use(pool, connector, TOKEN, ALICE)).rejects.toMatchObject({
        code: 'upstream_unavailable',
      });
  });

  test('of a process shows what it said last, and counts as unhealthy until it succeeds', async () => {
    const { pool } = await setUp();
    const broken = parseConnector(
      'p',
      { command: process.execPath, args: ['-e', 'console.error("no such database"); process.exit(1)'] },
      { source: 'file', now: 0 },
    );
    await pool.probe(broken, 1_000);
    await expect(use(pool, broken, ANONYMOUS, ALICE)).rejects.toMatchObject({ code: 'upstream_closed' });
    expect(pool.recentStderr(broken.id)).toContain('no such database');
    await expect(pool.probe(broken, 1_000)).rejects.toMatchObject({ code: 'upstream_closed' });
  });

  test.each([
    [{ command: 'there-is-no-such-command' }, /not found \(ENOENT\)$/],
    [{ command: process.execPath, env: { NODE_OPTIONS: '--import=x' } }, /variable NODE_OPTIONS is refused/],
  ])('of a process that cannot be started says why: %j', async (input, why) => {
    const { pool } = await setUp();
    const broken = parseConnector('p', input, { source: 'file', now: 0 });
    await expect(use(pool, broken, ANONYMOUS, ALICE)).rejects.toMatchObject({
      code: 'upstream_unavailable',
      message: expect.stringMatching(why) as string,
    });
  });
});

describe('turns', () => {
  test('no more calls at a time than the connector allows', async () => {
    let running = 0;
    let most = 0;
    const call = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running--;
      return { content: [] };
    };
    const { pool, connector } = await setUp({ limits: { concurrency: 2, queue: 10 } }, { call });
    await Promise.all([1, 2, 3, 4, 5, 6].map(() => use(pool, connector, TOKEN, ALICE)));
    expect(most).toBe(2);
  });

  test('a call that is cancelled while it waits never leaves', async () => {
    const { upstream, pool, connector } = await setUp({ limits: { concurrency: 1, queue: 10 } });
    const lease = await pool.open(connector, TOKEN, ALICE);
    const controller = new AbortController();
    const waiting = use(pool, connector, TOKEN, { ...BOB, signal: controller.signal });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    lease.release();
    expect(requestsOf(upstream.seen, 'tools/call')).toEqual([]);
  });

  test('a connector that was dropped does not take those who waited for it along', async () => {
    const { pool, connector } = await setUp({ limits: { concurrency: 1, queue: 10 } });
    const lease = await pool.open(connector, TOKEN, ALICE);
    const waiting = use(pool, connector, TOKEN, BOB);
    await pool.drop('c');
    lease.release();
    await expect(waiting).rejects.toMatchObject({ code: 'upstream_closed', outcomeUnknown: false });
    expect(await use(pool, connector, TOKEN, BOB)).toMatchObject({ content: [{ type: 'text' }] });
  });
});
