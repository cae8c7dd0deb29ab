import { expect, test } from 'vitest';
import { connectAgent } from '../support/agent-client.js';
import { createSharedPlace, useSharedServers } from '../support/replica-set.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { waitForSync } from '../support/start-hub.js';

const servers = useSharedServers();
const keep = closeAfterEach();

test('hubs on different stores that share a Redis have nothing to do with each other', async () => {
  const upstream = keep(await startUpstream({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }));
  const config = {
    connectors: { remote: { url: upstream.url } },
    limits: { perAgent: { perSecond: 0.01, burst: 3 } },
  };
  const made: number[] = [];
  for (const place of [keep(await createSharedPlace(servers())), keep(await createSharedPlace(servers()))]) {
    const hub = keep(await place.start(config));
    // Of replicas only the first one to start asks.
    await waitForSync(hub, 'remote');
    const client = keep(await connectAgent(hub, { era: 'modern' }));
    const calls = Array.from({ length: 10 }, () => client.callTool('remote__echo'));
    const answers = await Promise.allSettled(calls);
    made.push(answers.filter(({ status }) => status === 'fulfilled').length);
  }
  expect(made).toEqual([3, 3]);
}, 60_000);
