import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { McpClient } from '../../src/mcp/client/index.js';
import { connectAgent } from '../support/agent-client.js';
import { ERAS, WAYS, type Era, type Way } from '../support/bridge/everyday-hub.js';
import { startEverydayHttp, type EverydayHttp } from '../support/bridge/start-everyday-http.js';
import { bundleProgram } from '../support/bundle-program.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** What the servers are let in with. They say it again in everything they say, because it is also the label of each call. */
const SECRET = 'upstream-credential/0123+456789==';

const nameOf = ({ era, transport }: Way): string => `${era}-${transport}`;

let hub: TestHub;
let folder: string;
const upstreams: EverydayHttp[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crosspoint-quoted-'));
  const program = await bundleProgram('test/support/bridge/everyday-stdio.ts', folder);
  const connectors: Record<string, object> = {};
  for (const way of WAYS) connectors[nameOf(way)] = await connectorFor(way, program);
  hub = await startTestHub({ config: { connectors } });
  for (const name of Object.keys(connectors)) await waitForSync(hub, name, 30_000);
});
afterAll(async () => {
  await hub?.close();
  for (const upstream of upstreams) await upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

async function connectorFor(way: Way, program: string): Promise<object> {
  if (way.transport === 'stdio') {
    const args = [program, way.era, nameOf(way)];
    return { command: process.execPath, args, env: { SERVICE_TOKEN: SECRET, MODE: 'a-harmless-mode' } };
  }
  const upstream = await startEverydayHttp(way.era, nameOf(way));
  upstreams.push(upstream);
  return { url: upstream.url, auth: { type: 'bearer', token: SECRET } };
}

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

describe.each(WAYS)('a $era server over $transport that quotes its credential', (way) => {
  describe.each(ERAS)('is not quoted to a %s client', (era) => {
    test.each(['form', 'url', 'sampling', 'progress', 'logging', 'task'])('by %s', async (tool) => {
      const text = await hear(era, (client, heard) =>
        client.callTool(
          `${nameOf(way)}__${tool}`,
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
          ref: { type: 'ref/prompt', name: `${nameOf(way)}__greet` },
          argument: { name: 'who', value: SECRET },
        }),
      );
      expect(text).toContain('***-1');
      expect(text).not.toContain('upstream-credential');
    });
  });
});

test('what else a process was given is passed on', async () => {
  const text = await hear('modern', (client) =>
    client.callTool('legacy-stdio__progress', { label: 'a-harmless-mode' }),
  );
  expect(text).toContain('a-harmless-mode');
});
