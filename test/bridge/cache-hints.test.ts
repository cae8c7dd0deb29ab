import { expect, test } from 'vitest';
import { startAskingUpstream } from '../support/asking-upstream.js';
import { eventsOf } from '../support/hub-events.js';
import { openRawAgent } from '../support/raw-agent.js';
import { closeAfterEach } from '../support/resources.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

/** What upstreams say of how long their lists stay true is passed on, and heeded. */

const keep = closeAfterEach();
const LISTS = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];

async function start(ttls: Readonly<Record<string, number | undefined>>, config: object = {}) {
  const connectors: Record<string, object> = {};
  for (const [name, ttlMs] of Object.entries(ttls)) {
    const upstream = keep(
      ttlMs === undefined
        ? await startAskingUpstream('legacy')
        : await startAskingUpstream('modern', { cache: { ttlMs, cacheScope: 'public' } }),
    );
    connectors[name] = { url: upstream.url };
  }
  const hub = keep(await startTestHub({ config: { ...config, connectors } }));
  for (const name of Object.keys(ttls)) await waitForSync(hub, name);
  const hintsAt = async (path: string, method: string, params = {}) => {
    const agent = await openRawAgent({ url: hub.url + path, key: hub.localKey, era: 'modern' });
    const { message } = await agent.request(method, params);
    const { ttlMs, cacheScope } = (message?.['result'] ?? {}) as Record<string, unknown>;
    return [ttlMs, cacheScope];
  };
  return { hub, hintsAt };
}

test.each(LISTS)('%s is good for as long as its shortest part, and private', async (method) => {
  const { hintsAt } = await start({ short: 5_000, long: 30_000, forever: 86_400_000, silent: undefined });
  expect(await hintsAt('/mcp', method)).toEqual([5_000, 'private']);
  expect(await hintsAt('/mcp', method, { limit: 1 })).toEqual([5_000, 'private']);
  expect(await hintsAt('/connectors/long/mcp', method)).toEqual([30_000, 'private']);
  expect(await hintsAt('/connectors/forever/mcp', method)).toEqual([60_000, 'private']);
  expect(await hintsAt('/connectors/silent/mcp', method)).toEqual([60_000, 'private']);
});

test('an upstream is not asked for what it said stays the same', async () => {
  const { hub } = await start({ quick: 0, slow: 600_000 }, { sync: { intervalMs: 100 } });
  const syncs = async (name: string) =>
    (await eventsOf(hub, 'connector.synced')).filter(({ connector }) => connector === name).length;
  await expect.poll(() => syncs('quick'), { timeout: 10_000 }).toBeGreaterThan(3);
  expect(await syncs('slow')).toBe(1);
});
