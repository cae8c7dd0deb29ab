import { expect, test } from 'vitest';
import { startBalancer } from '../support/balancer.js';
import { serveV1Http } from '../support/interop/sdk-v1-server.js';
import { serveV2Http } from '../support/interop/sdk-v2-server.js';
import { openRawAgent } from '../support/raw-agent.js';
import { closeAfterEach } from '../support/resources.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

/** A server is updated, or the update is taken back, while the hub has conversations with it. */

const keep = closeAfterEach();
const ECHO = { name: 'up__echo', arguments: { message: 'Hello' } };

async function serve(era: 'legacy' | 'modern'): Promise<string> {
  const served =
    era === 'legacy' ? await serveV1Http({ json: false }) : await serveV2Http({ legacy: 'reject' });
  keep({ close: async () => served[Symbol.asyncDispose]() });
  return new URL(served.url).origin;
}

test.each([
  ['legacy', 'modern'],
  ['modern', 'legacy'],
] as const)(
  'a %s server becomes a %s one: one call may fail, those that follow do not',
  async (old, next) => {
    const servers = { legacy: await serve('legacy'), modern: await serve('modern') };
    const place = keep(await startBalancer([servers[old]]));
    const hub = keep(await startTestHub({ config: { connectors: { up: { url: `${place.url}/mcp` } } } }));
    await waitForSync(hub, 'up');
    const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'modern' });
    const call = async () => (await agent.request('tools/call', ECHO)).message;
    const done = { result: { structuredContent: { message: 'Hello' } } };
    for (const era of [old, next, old]) {
      place.targets = [servers[era]];
      await call();
      expect(await call()).toMatchObject(done);
      expect(await call()).toMatchObject(done);
    }
  },
);

test('what is only read is asked for again at once where that did no harm', async () => {
  const servers = { legacy: await serve('legacy'), modern: await serve('modern') };
  const place = keep(await startBalancer([servers.legacy]));
  const hub = keep(await startTestHub({ config: { connectors: { up: { url: `${place.url}/mcp` } } } }));
  await waitForSync(hub, 'up');
  const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'modern' });
  const read = async () => (await agent.request('resources/read', { uri: 'memo://greeting' })).message;
  const done = { result: { contents: [{ text: 'Hello' }] } };
  expect(await read()).toMatchObject(done);
  place.targets = [servers.modern];
  expect(await read()).toMatchObject(done);
});
