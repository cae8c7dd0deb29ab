import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect, type McpClient } from '../../src/mcp/client/index.js';
import { openRawAgent } from '../support/raw-agent.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

const EVERYTHING = {
  command: 'node',
  args: ['node_modules/@modelcontextprotocol/server-everything/dist/index.js', 'stdio'],
};
const info = { name: 'test', version: '0' };

describe.each(['legacy', 'modern'] as const)('a %s client', (era) => {
  let hub: TestHub;
  let client: McpClient;

  beforeAll(async () => {
    hub = await startTestHub({ config: { connectors: { every: { ...EVERYTHING, cwd: process.cwd() } } } });
    await waitForSync(hub, 'every');
    client = await connect({
      url: `${hub.url}/mcp`,
      headers: { authorization: `Bearer ${hub.localKey}` },
      info,
      era,
    });
  });
  afterAll(async () => {
    await client?.close();
    await hub?.close();
  });

  test('sees prefixed tools and calls one', async () => {
    const { items } = await client.listTools();
    expect(items.map(({ name }) => name)).toContain('every__echo');
    expect(await client.callTool('every__echo', { message: 'hi' })).toMatchObject({
      content: [{ type: 'text', text: 'Echo: hi' }],
    });
  });

  test('wrong arguments come back as a result the model can read, and never reach the upstream', async () => {
    expect(await client.callTool('every__echo', { message: 5 })).toMatchObject({
      isError: true,
      content: [{ text: 'Invalid arguments: arguments.message: must be string' }],
    });
  });

  test('an unknown tool is an error', async () => {
    await expect(client.callTool('every__nothing')).rejects.toMatchObject({
      code: -32_602,
      message: 'Unknown tool',
    });
  });

  test('every call is in the log, as intent and outcome', async () => {
    await client.callTool('every__echo', { message: 'logged' });
    const { events, storage } = hub.running.hub;
    await events.flush();
    const newest = await storage.events.query({ limit: 20, order: 'newest' });
    // The upstream may be synced at the same time.
    const [finished, intended] = newest.filter(({ event }) => event.type.startsWith('call.'));
    expect(finished?.event).toMatchObject({
      type: 'call.finished',
      outcome: 'ok',
      exposedName: 'every__echo',
      target: 'echo',
    });
    expect(intended?.event).toMatchObject({ type: 'call.intended', arguments: { bytes: 20 } });
  });

  test('prompts, resources and completion pass through', async () => {
    const prompts = await client.listPrompts();
    expect(prompts.items.every(({ name }) => name.startsWith('every__'))).toBe(true);
    const { items } = await client.listResources();
    const [resource] = items;
    const read = await client.readResource(resource?.uri ?? '');
    expect(read.contents[0]).toMatchObject({ uri: resource?.uri });
  });
});

test('without a key nothing is told', async () => {
  const hub = await startTestHub();
  const answer = await fetch(`${hub.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(answer.status).toBe(401);
  expect(answer.headers.get('www-authenticate')).toContain('Bearer');
  await hub.close();
});

test('a first start has asked its connectors before it is ready, and waits for none that hangs', async () => {
  const good = await startUpstream({ tools: [{ name: 'look', inputSchema: { type: 'object' } }] });
  const hangs = await startUpstream({ intercept: () => true });
  const hub = await startTestHub({
    config: { connectors: { good: { url: good.url }, hangs: { url: hangs.url } } },
  });
  try {
    const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'modern' });
    const { message } = await agent.request('tools/call', { name: 'good__look', arguments: {} });
    expect(message).toHaveProperty('result.content');
    expect(hangs.methods()).not.toEqual([]);
  } finally {
    await hub.close();
    await Promise.all([good.close(), hangs.close()]);
  }
});
