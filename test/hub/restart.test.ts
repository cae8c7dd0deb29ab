import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.js';
import { until } from '../support/http/until.js';
import { startHubProcess, type HubProcess } from '../support/hub-process.js';
import { openRawAgent } from '../support/raw-agent.js';
import { peerScript } from '../support/stdio/peers.js';

/** One hub without Redis ends and starts again. Clients of the handshake era have their sessions as before. */

const folders: string[] = [];
const hubs: HubProcess[] = [];
afterEach(async () => {
  for (const hub of hubs.splice(0)) await hub.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const BERT = 'cpk_bert_0123456789abcdef';

async function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-restart-'));
  folders.push(folder);
  const port = await freePort();
  const plain = { command: process.execPath, args: [peerScript('plain-server.mjs'), join(folder, 'ledger')] };
  const config = { connectors: { plain }, agents: { bert: { keys: [BERT] } } };
  const start = async (): Promise<HubProcess> => {
    const hub = await startHubProcess(folder, config, undefined, ['--port', String(port)]);
    hubs.push(hub);
    return hub;
  };
  /** Until so many sessions would be known after a kill. */
  const kept = (sessions: number): Promise<void> =>
    until(() => {
      const store = new DatabaseSync(join(folder, 'data', 'hub.db'), { readOnly: true });
      const count = store.prepare("SELECT count(*) AS count FROM tickets WHERE kind LIKE 'session:%'").get();
      store.close();
      return count?.['count'] === sessions;
    }, `${sessions} sessions in the store`);
  return { start, kept, url: `http://127.0.0.1:${port}/mcp` };
}

const ECHO = { name: 'plain__echo', arguments: { n: 1 } };

describe.each([
  ['is killed', (hub: HubProcess) => hub.kill()],
  ['is stopped', (hub: HubProcess) => hub.close()],
] as const)('a hub that %s and starts again', (_, end) => {
  test('serves the sessions that it had, to those who had them', async () => {
    const { start, kept, url } = await setUp();
    const first = await start();
    const agent = await openRawAgent({ url, key: first.localKey, era: 'legacy' });
    expect((await agent.request('tools/call', ECHO)).message?.['result']).toBeDefined();
    const ended = await openRawAgent({ url, key: first.localKey, era: 'legacy' });
    const session = (of: string | undefined, key = first.localKey) => ({
      'mcp-session-id': of ?? '',
      authorization: `Bearer ${key}`,
      'mcp-protocol-version': '2025-11-25',
    });
    await kept(2);
    expect((await fetch(url, { method: 'DELETE', headers: session(ended.session) })).status).toBe(204);
    await kept(1);
    await end(first);
    await start();
    const again = await agent.request('tools/call', ECHO);
    expect([again.status, again.message?.['result']]).toEqual([200, expect.anything()]);
    expect((await ended.request('ping')).status).toBe(404);
    const stolen = session(agent.session, BERT);
    expect((await agent.request('ping', {}, stolen)).status).toBe(404);
    expect((await fetch(url, { method: 'DELETE', headers: session(agent.session) })).status).toBe(204);
    expect((await agent.request('ping')).status).toBe(404);
  });

  test('is not noticed by an official client, which is told that lists may have changed', async () => {
    const { start, kept, url } = await setUp();
    const first = await start();
    const headers = { Authorization: `Bearer ${first.localKey}` };
    const client = new Client({ name: 'restart', version: '1' });
    let changes = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes++);
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), {
        requestInit: { headers },
        reconnectionOptions: {
          initialReconnectionDelay: 100,
          maxReconnectionDelay: 500,
          reconnectionDelayGrowFactor: 1.2,
          maxRetries: 100,
        },
      }),
    );
    await client.callTool(ECHO);
    await kept(1);
    changes = 0;
    await end(first);
    await start();
    expect((await client.callTool(ECHO)).isError).not.toBe(true);
    await until(() => changes > 0, 'word of changed lists', 20_000);
    await client.close();
  });
});
