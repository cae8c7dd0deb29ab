import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/app/index.js';
import { admin } from '../support/admin.js';
import { until } from '../support/http/until.js';
import { openRawAgent } from '../support/raw-agent.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';
import { envelope, MODERN } from '../support/server/harness.js';

/** Clients that keep a stream open: what they hear of, and for how long. */

const keep = closeAfterEach();
const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
const CHANGED = 'notifications/tools/list_changed';
const BLUE = 'permit(principal, action, resource) when { principal.tags.contains("blue") };';

interface Listener {
  readonly heard: () => string;
  readonly isOver: () => boolean;
}

async function start() {
  const upstream = keep(await startUpstream({ tools: [tool('first'), tool('second')] }));
  const config = (tools: readonly string[] | undefined) => ({
    connectors: { up: { url: upstream.url } },
    policies: ['blue.cedar'],
    ...(tools !== undefined && { toolsets: { some: { tools } } }),
  });
  const hub = keep(await startTestHub({ config: config(['up__first']), files: { 'blue.cedar': BLUE } }));
  await waitForSync(hub, 'up');
  await admin(hub, 'POST', '/agents', { id: 'ci', tags: ['blue'] });
  const { body } = await admin(hub, 'POST', '/agents/ci/keys', {});
  const configure = async (tools?: readonly string[]): Promise<void> => {
    const { folder } = hub;
    writeFileSync(join(folder, 'crosspoint.json'), JSON.stringify(config(tools)));
    const flags = { port: 0, data: join(folder, 'data') };
    await hub.running.reload(loadConfig({ flags, environment: {}, folder, now: Date.now() }));
  };
  return { hub, key: String(body['key']), keyId: String(body['id']), configure };
}

/** A client that listens as its era does. */
async function listen(hub: TestHub, key: string, era: 'legacy' | 'modern', path = '/mcp'): Promise<Listener> {
  const url = hub.url + path;
  const headers: Record<string, string> = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
  let response: Response;
  if (era === 'legacy') {
    const { session = '' } = await openRawAgent({ url, key, era });
    response = await fetch(url, { headers: { ...headers, 'mcp-session-id': session } });
  } else {
    response = await fetch(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'mcp-protocol-version': MODERN,
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: { notifications: { toolsListChanged: true }, _meta: envelope() },
      }),
    });
  }
  expect(response.status).toBe(200);
  let text = '';
  let isOver = false;
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  void (async () => {
    for (let read = await reader.read(); !read.done; read = await reader.read()) text += read.value;
  })()
    .catch(() => {})
    .finally(() => (isOver = true));
  keep({ close: () => reader.cancel().catch(() => {}) });
  await until(() => text !== '', 'the beginning of the stream');
  return { heard: () => text, isOver: () => isOver };
}

describe.each(['legacy', 'modern'] as const)('a %s client that listens', (era) => {
  test('hears that other tools are its own now that its agent was changed', async () => {
    const { hub, key } = await start();
    const listener = await listen(hub, key, era);
    await admin(hub, 'PATCH', '/agents/ci', { tags: [] });
    await until(() => listener.heard().includes(CHANGED), 'the change');
    expect(listener.isOver()).toBe(false);
  });

  test('hears that its toolset was changed, and its stream ends with the toolset', async () => {
    const { hub, key, configure } = await start();
    const path = '/toolsets/some/mcp';
    const listener = await listen(hub, key, era, path);
    const client = await openRawAgent({ url: hub.url + path, key, era });
    const told = () => listener.heard().split(CHANGED).length - 1;
    await configure(['up__*']);
    await until(() => told() === 1, 'the change');
    // The session there was goes on.
    const { message } = await client.request('tools/list');
    expect(message?.['result']).toMatchObject({ tools: [{ name: 'up__first' }, { name: 'up__second' }] });
    await configure();
    await until(() => listener.isOver(), 'the end of the stream');
    expect((await client.request('tools/list')).status).toBe(404);
  });

  test('is let go when the connector at whose address it listens was removed', async () => {
    const { hub } = await start();
    const spare = keep(await startUpstream({ tools: [tool('first')] }));
    const added = { id: 'spare', url: spare.url, allowPrivateNetwork: true };
    expect((await admin(hub, 'POST', '/connectors', added)).status).toBe(201);
    await waitForSync(hub, 'spare');
    const path = '/connectors/spare/mcp';
    const listener = await listen(hub, hub.localKey, era, path);
    const elsewhere = await listen(hub, hub.localKey, era, '/connectors/up/mcp');
    await admin(hub, 'DELETE', '/connectors/spare');
    await until(() => listener.isOver(), 'the end of the stream');
    expect(elsewhere.isOver()).toBe(false);
    // One that comes back under the name is another one.
    await admin(hub, 'POST', '/connectors', added);
    await waitForSync(hub, 'spare');
    const again = await openRawAgent({ url: hub.url + path, key: hub.localKey, era });
    expect((await again.request('tools/list')).status).toBe(200);
  });

  test.each([
    ['its key was revoked', (keyId: string) => ['DELETE', `/agents/ci/keys/${keyId}`] as const],
    ['its agent was removed', () => ['DELETE', '/agents/ci'] as const],
    ['its agent was switched off', () => ['PATCH', '/agents/ci', { enabled: false }] as const],
  ])('hears nothing more once %s', async (_, act) => {
    const { hub, key, keyId } = await start();
    const other = await listen(hub, hub.localKey, era);
    const listener = await listen(hub, key, era);
    const [method, path, body] = act(keyId);
    expect((await admin(hub, method, path, body)).status).toBeLessThan(300);
    await until(() => listener.isOver(), 'the end of the stream');
    expect(listener.heard()).not.toContain(CHANGED);
    expect(other.isOver()).toBe(false);
  });
});
