import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { McpClient } from '../../src/mcp/client/index.js';
import { connectAgent } from '../support/agent-client.js';
import { ERAS, type Era } from '../support/bridge/everyday-hub.js';
import { startEverydayHttp, type EverydayHttp } from '../support/bridge/start-everyday-http.js';
import { admin } from '../support/admin.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** What the servers are let in with. They say it again in everything they say, because it is also the label of each call. */
const SECRET = 'upstream-credential/0123+456789==';

let hub: TestHub;
const upstreams: EverydayHttp[] = [];

beforeAll(async () => {
  for (const era of ERAS) upstreams.push(await startEverydayHttp(era, era));
  const auth = { type: 'bearer', token: SECRET };
  const [legacy, modern] = upstreams.map(({ url }) => ({ url, auth }));
  hub = await startTestHub({ config: { connectors: { legacy, modern } } });
  for (const name of ERAS) await waitForSync(hub, name, 30_000);
});
afterAll(async () => {
  await hub?.close();
  for (const upstream of upstreams) await upstream.close();
});

/** A client, and everything that it heard in the end. */
async function listen(era: Era): Promise<{ client: McpClient; heard: unknown[] }> {
  const heard: unknown[] = [];
  const client = await connectAgent(hub, {
    era,
    capabilities: { elicitation: { form: {}, url: {} }, sampling: {} },
    handlers: {
      elicitation: ({ params }) => {
        heard.push(params);
        return { action: 'accept', ...(params?.['mode'] !== 'url' && { content: { word: 'w' } }) };
      },
      sampling: ({ params }) => {
        heard.push(params);
        return { role: 'assistant', model: 'm', content: { type: 'text', text: 't' } };
      },
    },
  });
  return { client, heard };
}

/** All that a client hears, as text. */
async function hear(
  era: Era,
  ask: (client: McpClient, heard: unknown[]) => Promise<unknown>,
): Promise<string> {
  const { client, heard } = await listen(era);
  try {
    heard.push(await ask(client, heard));
    return JSON.stringify(heard);
  } finally {
    await client.close();
  }
}

describe.each(ERAS)('a %s server that quotes its credential', (server) => {
  describe.each(ERAS)('is not quoted to a %s client', (era) => {
    test.each(['form', 'url', 'sampling', 'progress', 'logging', 'task'])('by %s', async (tool) => {
      const text = await hear(era, (client, heard) =>
        client.callTool(
          `${server}__${tool}`,
          { label: SECRET },
          {
            onProgress: (progress) => void heard.push({ ...progress }),
            onLog: (message) => void heard.push(message),
            logLevel: 'debug',
          },
        ),
      );
      expect(text).not.toContain('upstream-credential');
      expect(text).toContain('***');
    });

    test('by a completion', async () => {
      const text = await hear(era, (client) =>
        client.complete({
          ref: { type: 'ref/prompt', name: `${server}__greet` },
          argument: { name: 'who', value: SECRET },
        }),
      );
      expect(text).toContain('***-1');
      expect(text).not.toContain('upstream-credential');
    });
  });
});

describe('a server whose address is its secret', () => {
  const PATH = '/s/zAq81Kd93LmQ27xYtR5vBn0c/mcp';

  test('is not quoted by a list or a result, and the id of what its tools are about is', async () => {
    const upstream = await startUpstream({
      tools: [{ name: 'where', description: `At ${PATH}`, inputSchema: { type: 'object' } }],
      call: (_name, _args, { path }) => ({
        content: [{ type: 'text', text: `asked at ${path} about zAq81Kd93LmQ27xYtR5vBn0c` }],
      }),
    });
    const url = new URL(PATH, upstream.url).href;
    const own = await startTestHub({ config: { connectors: { own: { url } } } });
    try {
      await waitForSync(own, 'own', 30_000);
      const client = await connectAgent(own, { era: 'modern' });
      expect(JSON.stringify(await client.listTools())).toContain('At ***');
      const { content } = await client.callTool('own__where', {});
      expect(content).toEqual([
        expect.objectContaining({ text: 'asked at *** about zAq81Kd93LmQ27xYtR5vBn0c' }),
      ]);
      await client.close();
    } finally {
      await own.close();
      await upstream.close();
    }
  });

  test('nor by an error or an event', async () => {
    const upstream = await startUpstream({
      intercept: ({ rpc, path }, response) => {
        const error = { code: -32_001, message: `No zAq81Kd93LmQ27xYtR5vBn0c at ${path}` };
        response.writeHead(200, { 'content-type': 'application/json' });
        return response.end(JSON.stringify({ jsonrpc: '2.0', id: rpc.id ?? null, error })) !== undefined;
      },
    });
    const url = new URL(PATH, upstream.url).href;
    const own = await startTestHub({ config: { connectors: { own: { url, retries: 0 } } } });
    try {
      const sync = await admin(own, 'POST', '/connectors/own/sync');
      const events = await admin(own, 'GET', '/events');
      const text = JSON.stringify([sync.body, events.body]);
      expect(text).toContain('No *** at ***');
      expect(text).not.toContain('zAq81Kd93LmQ27xYtR5vBn0c');
    } finally {
      await own.close();
      await upstream.close();
    }
  });
});
