import { describe, expect, test, vi } from 'vitest';
import { verifyChain } from '../../src/governance/index.js';
import { HubError } from '../../src/kernel/index.js';
import { eventsOf } from '../support/hub-events.js';
import { requestsOf } from '../support/remote-connector.js';
import { openRawAgent } from '../support/raw-agent.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream, type UpstreamScript } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** What cannot be recorded is not done. */

const keep = closeAfterEach();

async function start(script: UpstreamScript = {}) {
  const upstream = keep(
    await startUpstream({ tools: [{ name: 't', inputSchema: { type: 'object' } }], ...script }),
  );
  const hub = keep(await startTestHub({ config: { connectors: { up: { url: upstream.url } } } }));
  await waitForSync(hub, 'up');
  await hub.running.hub.events.flush();
  const callAs = async (era: 'legacy' | 'modern') => {
    const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era });
    return async () => (await agent.request('tools/call', { name: 'up__t' })).message;
  };
  return { upstream, hub, legacy: await callAs('legacy'), modern: await callAs('modern') };
}

/** From now on nothing can be written, until the returned function is called. */
function lock(hub: TestHub): () => void {
  const append = vi.spyOn(hub.running.hub.storage.events, 'append').mockImplementation(() => {
    throw new HubError('storage_unavailable', 'the store cannot be written');
  });
  return () => append.mockRestore();
}

const readiness = async (hub: TestHub): Promise<number> => (await fetch(`${hub.url}/ready`)).status;

async function eventually<Value>(
  get: () => Promise<Value>,
  wanted: (value: Value) => boolean,
): Promise<Value> {
  const deadline = Date.now() + 15_000;
  for (;;) {
    const value = await get();
    if (wanted(value) || Date.now() > deadline) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function becomes(hub: TestHub, wanted: number): Promise<void> {
  const status = await eventually(
    () => readiness(hub),
    (each) => each === wanted,
  );
  expect(status).toBe(wanted);
}

describe('B7.6: the event log cannot be written', () => {
  test('calls are refused, the hub says so, and recovers by itself', async () => {
    const { upstream, hub, legacy, modern } = await start();
    expect(await readiness(hub)).toBe(200);
    const unlock = lock(hub);
    const message = 'the event log cannot be written, so nothing is executed';
    expect(await Promise.all([legacy(), modern()])).toMatchObject([
      { error: { code: -32_000, message } },
      { error: { code: -31_053, message } },
    ]);
    expect(await readiness(hub)).toBe(503);
    expect(requestsOf(upstream.seen, 'tools/call')).toEqual([]);
    unlock();
    expect(await eventually(legacy, (answer) => answer?.['result'] !== undefined)).toHaveProperty('result');
    expect(await readiness(hub)).toBe(200);
    expect(requestsOf(upstream.seen, 'tools/call')).toHaveLength(1);
    expect(await eventsOf(hub, 'call.intended')).toHaveLength(1);
    expect(await verifyChain(hub.running.hub.storage.events)).toMatchObject({ ok: true });
  });

  test('F14: a hub that nobody asks any more, because it is not ready, becomes ready by itself', async () => {
    const { upstream, hub, legacy } = await start();
    const unlock = lock(hub);
    expect(await legacy()).toHaveProperty('error');
    expect(await readiness(hub)).toBe(503);
    unlock();
    await becomes(hub, 200);
    // Who was refused meanwhile is known afterwards.
    expect(await eventsOf(hub, 'call.refused')).toMatchObject([
      { exposedName: 'up__t', connector: 'up', outcome: 'failed', error: 'audit_unavailable' },
    ]);
    expect(requestsOf(upstream.seen, 'tools/call')).toEqual([]);
    expect(await verifyChain(hub.running.hub.storage.events)).toMatchObject({ ok: true });
  });

  test('a call that was under way is answered, and its outcome written when that is possible again', async () => {
    let unlock = (): void => {};
    const { hub, legacy } = await start({
      call: () => {
        unlock = lock(hub);
        return { content: [{ type: 'text', text: 'done' }] };
      },
    });
    expect(await legacy()).toMatchObject({ result: { content: [{ text: 'done' }] } });
    await becomes(hub, 503);
    unlock();
    await becomes(hub, 200);
    expect(await eventsOf(hub, 'call.finished')).toMatchObject([{ outcome: 'ok' }]);
    expect(await verifyChain(hub.running.hub.storage.events)).toMatchObject({ ok: true });
  });
});
