import { afterEach, describe, expect, test, vi } from 'vitest';
import { until } from '../../test/support/http/until.js';
import { requestsOf } from '../../test/support/remote-connector.js';
import { closeAfterEach } from '../../test/support/resources.js';
import { startUpstream } from '../../test/support/scripted-upstream.js';
import { isRunning, peerScript } from '../../test/support/stdio/peers.js';
import { parseConnector, type Connector } from '../connectors/index.js';
import { ANONYMOUS } from '../credentials/index.js';
import { silentLogger, toAgentId, toConnectorId, type Clock } from '../kernel/index.js';
import type { Caller, UpstreamChange } from './upstream.js';
import type { UpstreamPoolOptions } from './pool-options.js';
import { createUpstreamPool } from './upstream-pool.js';

/** How upstreams are watched: when they are left alone, and when their processes begin and end. */

const keep = closeAfterEach();
afterEach(() => {
  vi.useRealTimers();
});

const ALICE: Caller = { principal: toAgentId('alice') };

function setUp(options: Partial<UpstreamPoolOptions> = {}) {
  let ms = 0;
  const clock: Clock = { now: () => ms, monotonic: () => ms };
  const changes: UpstreamChange['type'][] = [];
  const pool = keep(
    createUpstreamPool({
      info: { name: 'hub', version: '1' },
      clock,
      logger: silentLogger,
      onChange: ({ type }) => changes.push(type),
      ...options,
    }),
  );
  const use = async (connector: Connector, tool = 't', caller = ALICE): Promise<string> => {
    const lease = await pool.open(connector, ANONYMOUS, caller);
    try {
      return JSON.stringify(await lease.upstream.callTool(tool, {}, {}));
    } finally {
      lease.release();
    }
  };
  return { pool, changes, use, pass: (more: number) => void (ms += more) };
}

const plain = (more: object = {}): Connector =>
  parseConnector(
    'p',
    { command: process.execPath, args: [peerScript('plain-server.mjs')], era: 'legacy', ...more },
    { source: 'file', now: 0 },
  );
const pidIn = (text: string): number => Number(/pid\\?":(\d+)/.exec(text)?.[1]);

describe('one that does not answer', () => {
  test('B2.14, U-28: is tried once in five seconds, and used again as soon as it answers', async () => {
    const upstream = keep(await startUpstream({ tools: [{ name: 't', inputSchema: { type: 'object' } }] }));
    const connector = parseConnector('c', { url: upstream.url }, { source: 'file', now: 0 });
    const { pool, changes, use, pass } = setUp();
    await use(connector);
    upstream.script = { call: (_name, _args, _request, response) => void response.writeHead(500).end() };
    for (let n = 0; n < 5; n++)
      await expect(use(connector)).rejects.toMatchObject({ details: { status: 500 } });
    const sent = () => requestsOf(upstream.seen, 'tools/call').length;
    const before = sent();
    for (let second = 0; second < 30; second++, pass(1_000))
      await expect(use(connector)).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(sent() - before).toBe(5);
    expect(pool.stateOf(toConnectorId('c'))).toMatchObject({ breaker: 'open', running: 0, waiting: 0 });
    upstream.script = {};
    pass(5_000);
    await use(connector);
    await use(connector);
    expect(changes).toEqual(['breaker_opened', 'breaker_closed']);
  });
});

describe('processes', () => {
  test('one that crashed is replaced at once, then after pauses, and after five times not at all', async () => {
    const { pool, changes, use, pass } = setUp();
    const connector = plain();
    for (let n = 0; n < 5; n++) {
      await use(connector, 'where');
      await expect(use(connector, 'crash')).rejects.toMatchObject({
        code: 'upstream_closed',
        outcomeUnknown: true,
      });
      pass(3_000);
    }
    await expect(use(connector, 'where')).rejects.toMatchObject({ details: { reason: 'process_failed' } });
    await expect(pool.probe(connector, 100)).rejects.toMatchObject({
      details: { reason: 'process_failed' },
      message: expect.stringMatching(/Last: the process exited with code \d+$/) as string,
    });
    expect(pool.recentStderr(connector.id).at(-1)).toMatch(/^the process exited with code \d+$/);
    expect(await use(connector, 'where', { principal: 'hub', insists: true })).toContain('pid');
    expect(await use(connector, 'where')).toContain('pid');
    expect(changes).toEqual(['process_failed', 'process_recovered']);
  });

  test('one caller whose processes fail does not take them from others', async () => {
    const { use, pass } = setUp();
    const connector = plain({ isolation: 'per_principal' });
    for (let n = 0; n < 5; n++, pass(3_000))
      await expect(use(connector, 'crash')).rejects.toMatchObject({ code: 'upstream_closed' });
    await expect(use(connector, 'where')).rejects.toMatchObject({ details: { reason: 'process_failed' } });
    expect(await use(connector, 'where', { principal: toAgentId('bob') })).toContain('pid');
  });

  test('B3.6: of those that serve one call each there are never more than calls may run, however slowly they end', async () => {
    let living = 0;
    let most = 0;
    const { use } = setUp({
      onProcess: () => {
        most = Math.max(most, ++living);
        return () => void living--;
      },
    });
    const connector = plain({ isolation: 'per_call', limits: { concurrency: 2 } });
    const answers = await Promise.all(Array.from({ length: 6 }, () => use(connector, 'where')));
    expect(new Set(answers).size).toBe(6);
    expect(most).toBe(2);
    await until(() => living === 0, 'the end of the last');
  });

  test('one that is old makes room for a new one when its calls are over, not before', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { pool, use, pass } = setUp();
    const connector = plain({ maxLifetimeMs: 60_000, idleStopMs: 0 });
    const first = pidIn(await use(connector, 'where'));
    pass(59_000);
    vi.advanceTimersByTime(1_000);
    expect(pidIn(await use(connector, 'where'))).toBe(first);
    const lease = await pool.open(connector, ANONYMOUS, ALICE);
    pass(2_000);
    vi.advanceTimersByTime(1_000);
    const second = pidIn(await use(connector, 'where'));
    expect(second).not.toBe(first);
    expect(pidIn(JSON.stringify(await lease.upstream.callTool('where', {}, {})))).toBe(first);
    lease.release();
    await until(() => !isRunning(first), 'the end of the old one');
    expect(isRunning(second)).toBe(true);
  });
});
