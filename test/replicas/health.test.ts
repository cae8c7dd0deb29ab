import { beforeEach, describe, expect, test, vi } from 'vitest';
import { toConnectorId } from '../../src/kernel/index.js';
import { admin } from '../support/admin.js';
import { eventsOf } from '../support/hub-events.js';
import { SHARED_BY, useSharedPlace } from '../support/replica-set.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { waitForSync, type TestHub } from '../support/start-hub.js';

/** What a sync at one process says of a connector counts at all, long before each of them has looked itself. */

const SOON = { timeout: 3_000 };
const REMOTE = toConnectorId('remote');
const keep = closeAfterEach();

const isOfStored = ({ connector }: Readonly<Record<string, unknown>>): boolean => connector === 'stored';

async function healthOf(hub: TestHub) {
  return (await admin(hub, 'GET', '/connectors/remote/health')).body;
}

describe.each(SHARED_BY)('%s', (by) => {
  const place = useSharedPlace(by);
  let answer: 'well' | 'not found' | 'nothing' = 'well';
  let config: object = {};
  beforeEach(() => (answer = 'well'));

  async function start(settings: object = {}) {
    const upstream = keep(
      await startUpstream({
        tools: [{ name: 'echo', inputSchema: { type: 'object' } }],
        intercept: (_request, response) => {
          if (answer === 'nothing') response.destroy();
          else if (answer === 'not found') response.writeHead(404).end();
          return answer !== 'well';
        },
      }),
    );
    config = { connectors: { remote: { url: upstream.url, retries: 0, ...settings } } };
    const hubs = [keep(await place().start(config)), keep(await place().start(config))];
    for (const hub of hubs) await waitForSync(hub, 'remote');
    for (const hub of hubs)
      await vi.waitFor(async () => expect(await healthOf(hub)).toMatchObject({ state: 'healthy' }), SOON);
    return { one: hubs[0]!, two: hubs[1]!, hubs };
  }

  test.each([
    ['that answers and cannot be used', 'not found', /HTTP 404/],
    ['that does not answer', 'nothing', /./],
  ] as const)('an upstream %s is unhealthy at all, until a sync succeeds at one', async (_, how, why) => {
    const { one, two, hubs } = await start({ hideWhenUnhealthy: true });
    answer = how;
    expect((await admin(one, 'POST', '/connectors/remote/sync', {})).status).toBeGreaterThan(399);
    const reason = expect.stringMatching(why) as string;
    for (const hub of hubs) {
      await vi.waitFor(async () => {
        expect(await healthOf(hub)).toMatchObject({ state: 'unhealthy', reason });
      }, SOON);
      expect(hub.running.hub.catalog.entries().map(({ connector }) => connector.id)).not.toContain('remote');
    }
    const [first, second] = await Promise.all(hubs.map((hub) => healthOf(hub)));
    expect(first?.['instance']).toMatch(/^\w+$/);
    expect(second?.['instance']).not.toBe(first?.['instance']);
    answer = 'well';
    expect((await admin(two, 'POST', '/connectors/remote/sync', {})).status).toBe(200);
    for (const hub of hubs) {
      await vi.waitFor(async () => expect(await healthOf(hub)).toMatchObject({ state: 'healthy' }), SOON);
      expect(hub.running.hub.catalog.entries().map(({ connector }) => connector.id)).toContain('remote');
    }
  });

  test('one that is switched off and on again is looked at anew, whatever was known of it before', async () => {
    const { one, hubs } = await start();
    const { url } = (config as { connectors: { remote: { url: string } } }).connectors.remote;
    const added = { id: 'stored', url, allowPrivateNetwork: true, retries: 0, hideWhenUnhealthy: true };
    expect((await admin(one, 'POST', '/connectors', added)).status).toBe(201);
    await waitForSync(one, 'stored');
    const become = async (state: string): Promise<void> => {
      for (const hub of hubs)
        await vi.waitFor(async () => {
          expect((await admin(hub, 'GET', '/connectors/stored/health')).body).toMatchObject({ state });
        }, SOON);
    };
    await become('healthy');
    answer = 'not found';
    await admin(one, 'POST', '/connectors/stored/sync', {});
    await become('unhealthy');
    const syncs = async () => (await eventsOf(one, 'connector.synced')).filter(isOfStored).length;
    const before = await syncs();
    expect((await admin(one, 'PATCH', '/connectors/stored', { enabled: false })).status).toBe(200);
    answer = 'well';
    expect((await admin(one, 'PATCH', '/connectors/stored', { enabled: true })).status).toBe(200);
    await become('healthy');
    await vi.waitFor(async () => expect(await syncs()).toBe(before + 1), SOON);
  });

  test('one that starts later says the same', async () => {
    const { one } = await start();
    answer = 'not found';
    await admin(one, 'POST', '/connectors/remote/sync', {});
    const late = keep(await place().start(config));
    const connector = await late.running.hub.connectors.require(REMOTE);
    await vi.waitFor(() => expect(late.running.hub.health.healthOf(connector).state).toBe('unhealthy'), SOON);
  });
});
