import { describe, expect, test } from 'vitest';
import { admin } from '../support/admin.js';
import { connectAgent } from '../support/agent-client.js';
import { startAskingUpstream } from '../support/asking-upstream.js';
import { until } from '../support/http/until.js';
import { closeAfterEach } from '../support/resources.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** Changes of single resources reach those who asked, over both hops, in every combination of eras. */

const keep = closeAfterEach();
const URI = 'test://asking';
const KEYS = { ada: 'ada-agent-key-0123456789abcdef', bob: 'bob-agent-key-0123456789abcdef' };

async function start(era: 'legacy' | 'modern') {
  const upstream = keep(await startAskingUpstream(era));
  const hub = keep(
    await startTestHub({
      config: {
        connectors: { asking: { url: upstream.url } },
        agents: { ada: { keys: [KEYS.ada] }, bob: { keys: [KEYS.bob] } },
        policies: ['all.cedar'],
      },
      files: { 'all.cedar': 'permit(principal, action, resource);' },
    }),
  );
  await waitForSync(hub, 'asking');
  return { hub, upstream };
}

async function watch(
  hub: TestHub,
  era: 'legacy' | 'modern',
  who: keyof typeof KEYS,
  uris = [URI],
  path = '/mcp',
) {
  const client = keep(await connectAgent(hub, { era, path, key: KEYS[who] }));
  const heard: unknown[] = [];
  const subscription = await client.subscribe({ resourceSubscriptions: uris }, ({ method, params }) =>
    heard.push([method, params?.['uri']]),
  );
  return { client, heard, subscription };
}

const UPDATED = ['notifications/resources/updated', URI];
const eras = ['legacy', 'modern'] as const;
const cells = eras.flatMap((client) => eras.map((upstream) => [client, upstream] as const));

describe.each(cells)('a %s client and a %s upstream', (clientEra, upstreamEra) => {
  test('B23: hear of a change; many listeners are one to the upstream, and with the last of them it goes', async () => {
    const { hub, upstream } = await start(upstreamEra);
    const before = upstream.listeners();
    const ada = await watch(hub, clientEra, 'ada');
    expect(ada.subscription.honoured.resourceSubscriptions).toEqual([URI]);
    const bob = await watch(hub, clientEra, 'bob');
    await until(() => upstream.listeners() === before + 1, 'one subscription at the upstream');
    upstream.touch(URI);
    await until(() => ada.heard.length > 0 && bob.heard.length > 0, 'both to hear of it');
    expect([ada.heard, bob.heard]).toEqual([[UPDATED], [UPDATED]]);
    ada.subscription.close();
    upstream.touch(URI);
    await until(() => bob.heard.length === 2, 'the other one to hear of it');
    expect(ada.heard).toHaveLength(1);
    bob.subscription.close();
    await until(() => upstream.listeners() === before, 'nothing left at the upstream');
  });
});

test('B23: of what lies below a resource only those hear who may read it; others hear that the resource changed', async () => {
  const { hub, upstream } = await start('legacy');
  const text =
    'forbid(principal == Agent::"bob", action, resource is Resource) when { resource.uri like "test://asking/*" };';
  await admin(hub, 'PUT', '/policies/below', { text });
  const path = '/connectors/asking/mcp';
  const [ada, bob] = [
    await watch(hub, 'modern', 'ada', [`${URI}/1`], path),
    await watch(hub, 'modern', 'bob', [URI], path),
  ];
  upstream.touch(`${URI}/1`);
  await until(() => ada.heard.length > 0 && bob.heard.length > 0, 'both to hear of it');
  // Both are watched in one conversation with the upstream.
  expect([ada.heard, bob.heard]).toEqual([[[UPDATED[0], `${URI}/1`]], [UPDATED]]);
});

test('what cannot be watched is not promised', async () => {
  const { hub } = await start('modern');
  const { subscription } = await watch(hub, 'modern', 'ada', [URI, 'test://unknown']);
  expect(subscription.honoured).toEqual({ resourceSubscriptions: [URI] });
  await expect(watch(hub, 'legacy', 'ada', ['test://unknown'])).rejects.toThrow(/cannot be subscribed/);
});

test('B23: a connector that starts anew is watched again, and the listener told that something may have changed', async () => {
  const { hub, upstream } = await start('legacy');
  const { heard } = await watch(hub, 'modern', 'ada');
  const before = upstream.listeners();
  await hub.running.hub.upstreams.drop('asking');
  await until(() => heard.length > 0, 'to hear that something may have changed', 10_000);
  heard.length = 0;
  await until(() => upstream.listeners() >= before, 'the subscription to be back', 10_000);
  upstream.touch(URI);
  await until(() => heard.length > 0, 'to hear of it');
  expect(heard).toEqual([UPDATED]);
});
