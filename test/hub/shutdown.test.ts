import { expect, test } from 'vitest';
import { until } from '../support/http/until.js';
import { openRawAgent } from '../support/raw-agent.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

const keep = closeAfterEach();

test(
  'F13: a call that goes on for longer than a hub waits is told why it ends',
  { timeout: 30_000 },
  async () => {
    let begun = 0;
    const upstream = keep(
      await startUpstream({
        tools: [{ name: 'hold', inputSchema: { type: 'object' } }],
        call: () => {
          begun++;
          return new Promise(() => {});
        },
      }),
    );
    const hub = keep(await startTestHub({ config: { connectors: { up: { url: upstream.url } } } }));
    await waitForSync(hub, 'up');
    const calls = (['modern', 'legacy'] as const).map(async (era) => {
      const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era });
      return agent.request('tools/call', { name: 'up__hold', arguments: {} });
    });
    await until(() => begun === 2, 'both calls at the upstream');
    await hub.running.stop();
    for (const { message } of await Promise.all(calls))
      expect(message).toMatchObject({ error: { message: 'The server is shutting down' } });
  },
);
