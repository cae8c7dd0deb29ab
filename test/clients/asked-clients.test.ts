import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ROOT } from '../../scripts/repository.js';
import { EVERYTHING } from '../support/interop/everything-server.js';
import { serveV2Http } from '../support/interop/sdk-v2-server.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';
import { connectAsked, SAMPLE, type AskedClient } from './asked-client.js';

/**
 * The second official SDK's client, in both its modes, at the hub's one endpoint for everything: it is asked by servers of
 * the protocol's authors, samples for them and hears of their changes, with the handlers that its examples use.
 */

interface Upstream {
  readonly connector: object;
  close?(): Promise<unknown>;
}

interface Example {
  readonly start: () => Promise<Upstream>;
  readonly ask: string;
  readonly sample: string;
  /** What makes it tell of a resource; not every server lets clients subscribe. */
  readonly changes?: { readonly tool: string; readonly uri: string };
}

const V2 = { ask: 'ask', sample: 'sample' };
const EXAMPLES: Readonly<Record<string, Example>> = {
  'server-everything': {
    start: async () => ({ connector: { command: process.execPath, args: [EVERYTHING, 'stdio'] } }),
    ask: 'trigger-elicitation-request',
    sample: 'trigger-sampling-request',
    changes: {
      tool: 'toggle-subscriber-updates',
      uri: 'demo://resource/static/document/features.md',
    },
  },
  'a server of SDK v2 over HTTP': {
    start: async () => {
      const served = await serveV2Http({ legacy: 'reject' });
      return { connector: { url: served.url }, close: async () => served[Symbol.asyncDispose]() };
    },
    ...V2,
    changes: { tool: 'touch', uri: 'memo://greeting' },
  },
  'a legacy process of SDK v2': {
    start: async () => {
      const program = join(ROOT, 'test', 'support', 'interop', 'sdk-v2-stdio.ts');
      const args = ['--import', 'tsx', program];
      return { connector: { command: process.execPath, args, cwd: ROOT, era: 'legacy' } };
    },
    ...V2,
  },
};

describe.each(Object.entries(EXAMPLES))('%s', (_name, example) => {
  let upstream: Upstream;
  let hub: TestHub;
  beforeAll(async () => {
    upstream = await example.start();
    hub = await startTestHub({ config: { connectors: { up: upstream.connector } } });
    await waitForSync(hub, 'up', 30_000);
  });
  afterAll(async () => {
    await hub?.close();
    await upstream?.close?.();
  });

  describe.each(['legacy', 'modern'] as const)('SDK v2, %s', (mode) => {
    let asked: AskedClient;
    beforeAll(async () => {
      asked = await connectAsked(hub, mode, { colour: 'blue', name: 'Ada' });
    });
    afterAll(() => asked?.client.close());

    test('is asked, and its answer reaches the server', async () => {
      const result = await asked.client.callTool({ name: `up__${example.ask}`, arguments: {} });
      expect(JSON.stringify(result.content)).toMatch(/blue|Ada/);
    });

    test('samples for the server', async () => {
      const args = example.sample === 'sample' ? {} : { prompt: 'Hi' };
      const result = await asked.client.callTool({ name: `up__${example.sample}`, arguments: args });
      expect(JSON.stringify(result.content)).toContain(SAMPLE);
    });

    const { changes } = example;
    // Not every server of the SDK tells of changes.
    if (changes === undefined) return;

    test('hears of a changed resource', async () => {
      const { client, updated } = asked;
      const { uri, tool } = changes;
      const listening =
        mode === 'legacy'
          ? await client.subscribeResource({ uri })
          : await client.listen({ resourceSubscriptions: [uri] });
      const touch = () => client.callTool({ name: `up__${tool}`, arguments: {} });
      await touch();
      await vi.waitFor(() => expect(updated).toContain(uri), 8_000);
      expect(new Set(updated)).toEqual(new Set([uri]));
      // The reference server goes on telling until it is told to stop.
      if (tool.startsWith('toggle')) await touch();
      if (mode === 'legacy') await client.unsubscribeResource({ uri });
      else await (listening as { close(): Promise<void> }).close();
    });
  });
});
