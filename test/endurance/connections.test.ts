import { describe, expect, test } from 'vitest';
import { startFaultProxy, type Fault } from '../support/fault-proxy.js';
import { eventsOf } from '../support/hub-events.js';
import { openRawAgent } from '../support/raw-agent.js';
import { requestsOf } from '../support/remote-connector.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

/** Connections to an upstream that are slow, broken, or neither alive nor dead. */

const keep = closeAfterEach();

async function setUp(connector: object = {}) {
  const upstream = keep(
    await startUpstream({
      tools: [{ name: 't', inputSchema: { type: 'object' } }],
      call: () => ({ content: [{ type: 'text', text: 'fine' }] }),
    }),
  );
  const proxy = keep(await startFaultProxy(upstream.url));
  const hub = keep(
    await startTestHub({
      config: { connectors: { up: { url: proxy.url, timeouts: { requestMs: 3_000 }, ...connector } } },
    }),
  );
  await waitForSync(hub, 'up', 40_000);
  const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'modern' });
  const call = async () =>
    JSON.stringify((await agent.request('tools/call', { name: 'up__t', arguments: {} })).message);
  return { upstream, proxy, hub, call };
}

describe('F38, F40: a connection that is disturbed', () => {
  test('F40: slow ones give the right answer, broken ones an error, and afterwards all is as before', async () => {
    const { upstream, proxy, hub, call } = await setUp();
    expect(await call()).toContain('fine');
    const during = async (fault: Fault): Promise<string> => {
      proxy.fault = fault;
      const answer = await call();
      proxy.fault = 'pass';
      expect(await call()).toContain('fine');
      return answer;
    };
    for (const fault of ['delay', 'slices', 'throttle'] as const)
      expect(await during(fault)).toContain('fine');
    for (const fault of ['cut', 'reset'] as const)
      expect(await during(fault)).toMatch(/the connection ended before the answer|cannot be reached/);
    // F38: nobody says that it is gone; the limit of the call ends it, and the next call takes another connection.
    const startedAt = performance.now();
    expect(await during('half_open')).toMatch(/did not answer in time/);
    expect(performance.now() - startedAt).toBeLessThan(12_000);
    const outcomes = (await eventsOf(hub, 'call.finished')).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(10);
    expect(requestsOf(upstream.seen, 'tools/call').length).toBeLessThanOrEqual(13);
  });

  test('F41, U-27: a name that cannot be found is an error at once, and works again without a restart', async () => {
    const { hub, call } = await setUp();
    const answer = await fetch(`${hub.url}/api/v1/connectors`, {
      method: 'POST',
      headers: { authorization: `Bearer ${hub.adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'lost', url: 'https://no-such-host.invalid/mcp' }),
    });
    expect(answer.status).toBe(201);
    const startedAt = performance.now();
    const synced = await fetch(`${hub.url}/api/v1/connectors/lost/sync`, {
      method: 'POST',
      headers: { authorization: `Bearer ${hub.adminToken}` },
    });
    expect(synced.status).toBe(502);
    expect(await synced.text()).toMatch(/upstream_unavailable|egress_denied/);
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    expect(await call()).toContain('fine');
  });
});
