import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { admin } from '../support/admin.js';
import { serveOwnHttp, type OwnHttp } from '../support/interop/own-server.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';
import { connectV1, connectV2, type HubAddress, type OfficialClient } from './official-client.js';

/** The official SDKs' clients at the hub, with an upstream of either era behind it. */

const CLIENTS: readonly (readonly [string, (address: HubAddress) => Promise<OfficialClient>])[] = [
  ['SDK v1', connectV1],
  ['SDK v2, legacy', (address) => connectV2(address, 'legacy')],
  ['SDK v2, modern', (address) => connectV2(address, 'modern')],
];

function textOf(result: Record<string, unknown>): unknown {
  const [first] = result['content'] as readonly { readonly text?: unknown }[];
  return first?.text;
}

describe.each(['legacy', 'modern'] as const)('a %s upstream', (era) => {
  let upstream: OwnHttp;
  let hub: TestHub;
  beforeAll(async () => {
    upstream = await serveOwnHttp();
    hub = await startTestHub({ config: { connectors: { own: { url: upstream.url, era } } } });
    await waitForSync(hub, 'own');
  });
  afterAll(async () => {
    await hub?.close();
    await upstream?.[Symbol.asyncDispose]();
  });

  describe.each(CLIENTS)('%s', (_name, connect) => {
    let client: OfficialClient;
    beforeAll(async () => {
      client = await connect({ url: `${hub.url}/mcp`, key: hub.localKey });
    });
    afterAll(async () => {
      await client?.close();
    });

    test('lists what there is', async () => {
      expect((await client.tools()).map(({ name }) => name)).toEqual(
        expect.arrayContaining(['own__echo', 'own__progress']),
      );
      expect((await client.prompts()).map(({ name }) => name)).toEqual(['own__greet']);
      expect((await client.resources()).map(({ uri }) => uri)).toEqual(['memo://greeting']);
      expect((await client.templates()).map(({ uriTemplate }) => uriTemplate)).toEqual(['memo://notes/{id}']);
    });

    test('calls, many at once', async () => {
      expect(await client.call('own__echo', { message: 'Grüße' })).toMatchObject({
        structuredContent: { message: 'Grüße' },
      });
      const messages = Array.from({ length: 20 }, (_, index) => `m${index}`);
      const results = await Promise.all(messages.map((message) => client.call('own__echo', { message })));
      expect(results.map(textOf)).toEqual(messages);
    });

    test('is told of its mistakes', async () => {
      await expect(client.call('own__nothing')).rejects.toThrow('Unknown tool');
      expect(await client.call('own__echo', { message: 5 })).toMatchObject({ isError: true });
      await expect(client.read('nothing://here')).rejects.toThrow('Resource not found');
    });

    test('reads, prompts and completes', async () => {
      expect(await client.read('memo://greeting')).toMatchObject([{ uri: 'memo://greeting', text: 'Hello' }]);
      expect(await client.read('memo://notes/7')).toMatchObject([{ text: 'A note' }]);
      expect(await client.prompt('own__greet', { name: 'Ada' })).toMatchObject([
        { content: { text: 'Greet Ada' } },
      ]);
      expect(await client.complete('own__greet', 'A')).toEqual(['Ada', 'Alan']);
    });

    test('receives progress and log messages', async () => {
      const progress: number[] = [];
      await client.setLevel();
      const call = client.call(
        'own__progress',
        { hold: true },
        { onprogress: (update) => void progress.push(update.progress) },
      );
      await vi.waitFor(() => expect(progress).toEqual([1, 2, 3]), 5_000);
      await vi.waitFor(() => expect(client.logs).toEqual(['step 1', 'step 2', 'step 3']), 5_000);
      await client.call('own__release');
      expect(textOf(await call)).toBe('done');
    });

    test('cancels a call, and the upstream hears of it', async () => {
      const abort = new AbortController();
      const call = client.call('own__wait', {}, { signal: abort.signal });
      await client.call('own__echo', { message: 'the other one is under way' });
      abort.abort();
      await expect(call).rejects.toBeInstanceOf(Error);
      await upstream.observed.untilCancelled('wait');
    });

    test('hears that its list changed when a policy hides a tool, and when it comes back', async () => {
      await client.listen();
      await admin(hub, 'PUT', '/policies/hide', {
        text: 'forbid(principal, action, resource == Tool::"own/ask");',
      });
      await vi.waitFor(() => expect(client.changes).toHaveLength(1), 5_000);
      expect((await client.tools()).map(({ name }) => name)).not.toContain('own__ask');
      await admin(hub, 'DELETE', '/policies/hide');
      await vi.waitFor(() => expect(client.changes).toHaveLength(2), 5_000);
      expect((await client.tools()).map(({ name }) => name)).toContain('own__ask');
    });
  });
});
