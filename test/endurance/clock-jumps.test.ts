import { Agent, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { verifyChain } from '../../src/governance/index.js';
import { until } from '../support/http/until.js';
import { eventsOf, recordsOf } from '../support/hub-events.js';
import { openRawAgent, type RawAgent } from '../support/raw-agent.js';
import { startUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** Somebody sets the clock of the machine while a hub serves, and right again. Only the date jumps, as it does in earnest. */

const HOUR_MS = 3_600_000;
const JUMPS = [
  ['an hour ahead', HOUR_MS],
  ['an hour back', -HOUR_MS],
  ['ten years ahead', 10 * 365 * 24 * HOUR_MS],
] as const;
/** Connections are looked at every second. */
const A_LOOK_MS = 1_200;

describe('F32: the clock jumps', () => {
  const realNow = Date.now.bind(Date);
  let hub: TestHub;
  let upstream: ScriptedUpstream;
  let legacy: RawAgent;
  let modern: RawAgent;
  const connection = new Agent({ keepAlive: true, maxSockets: 1 });
  const held: (() => void)[] = [];

  /** By a connection that stays, as clients have them. Answers its own port. */
  const list = (): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      const sent = httpRequest(
        `${hub.url}/mcp`,
        {
          method: 'POST',
          agent: connection,
          headers: {
            authorization: `Bearer ${hub.localKey}`,
            'content-type': 'application/json',
            'content-length': body.length,
            accept: 'application/json, text/event-stream',
            'mcp-session-id': legacy.session ?? '',
            'mcp-protocol-version': '2025-11-25',
          },
        },
        (answer) => {
          const port = answer.socket.localPort;
          answer.resume().on('end', () => {
            if (answer.statusCode === 200) resolve(port);
            else reject(new Error(`answered with ${answer.statusCode}`));
          });
        },
      );
      sent.on('error', reject).end(body);
    });

  beforeAll(async () => {
    upstream = await startUpstream({
      tools: ['hold', 'fast'].map((name) => ({ name, inputSchema: { type: 'object' } })),
      call: async (name) => {
        if (name === 'hold') await new Promise<void>((resolve) => held.push(resolve));
        return { content: [{ type: 'text', text: `${name} done` }] };
      },
    });
    hub = await startTestHub({ config: { connectors: { up: { url: upstream.url } } } });
    await waitForSync(hub, 'up');
    const at = { url: `${hub.url}/mcp`, key: hub.localKey };
    legacy = await openRawAgent({ ...at, era: 'legacy' });
    modern = await openRawAgent({ ...at, era: 'modern' });
  });
  afterAll(async () => {
    connection.destroy();
    await hub.close();
    await upstream.close();
  });

  test.each(JUMPS)('%s: connections, sessions and calls stay', async (_, by) => {
    const port = await list();
    const call = modern.request('tools/call', { name: 'up__hold', arguments: {} });
    await until(() => held.length === 1, 'the call at the upstream');
    vi.spyOn(Date, 'now').mockImplementation(() => realNow() + by);
    await new Promise((resolve) => setTimeout(resolve, A_LOOK_MS));
    expect(await list()).toBe(port);
    expect((await legacy.request('ping')).status).toBe(200);
    const fast = await legacy.request('tools/call', { name: 'up__fast', arguments: {} });
    expect(JSON.stringify(fast.message)).toContain('fast done');
    held.pop()?.();
    expect(JSON.stringify((await call).message)).toContain('hold done');
    expect((await fetch(`${hub.url}/ready`)).status).toBe(200);
  });

  test('no duration is wrong, and the order of events is that of their numbers', async () => {
    const finished = await eventsOf(hub, 'call.finished');
    expect(finished).toHaveLength(2 * JUMPS.length);
    for (const { durationMs, outcome } of finished) {
      expect(outcome).toBe('ok');
      expect(durationMs).toBeGreaterThanOrEqual(0);
      expect(durationMs).toBeLessThan(60_000);
    }
    const records = await recordsOf(hub);
    expect(records.map(({ sequence }) => sequence)).toEqual(records.map((_, index) => index + 1));
    expect(await verifyChain(hub.running.hub.storage.events)).toMatchObject({ ok: true });
    expect(await eventsOf(hub, 'connector.breaker_opened')).toEqual([]);
  });
});
