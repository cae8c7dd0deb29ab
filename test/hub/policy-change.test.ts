import { describe, expect, test } from 'vitest';
import { admin } from '../support/admin.js';
import { connectAgent } from '../support/agent-client.js';
import { until } from '../support/http/until.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** Connected clients learn of a change that concerns them, and only of that. */

const keep = closeAfterEach();
const KEY = 'other-agent-key-0123456789abcdef';
const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });

async function start() {
  const upstream = keep(
    await startUpstream({ tools: [tool('read'), tool('drop')], prompts: [{ name: 'p' }] }),
  );
  const hub = keep(
    await startTestHub({
      config: {
        connectors: { db: { url: upstream.url } },
        agents: { other: { keys: [KEY] } },
        policies: ['other.cedar'],
      },
      files: { 'other.cedar': 'permit(principal == Agent::"other", action, resource);' },
    }),
  );
  await waitForSync(hub, 'db');
  return { upstream, hub };
}

/** A client that hears of changed lists. */
async function listener(hub: TestHub, era: 'legacy' | 'modern', key = hub.localKey) {
  const client = keep(await connectAgent(hub, { era, key }));
  const heard: string[] = [];
  await client.subscribe(
    { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true },
    ({ method }) => heard.push(method),
  );
  return { client, heard, names: async () => (await client.listTools()).items.map(({ name }) => name) };
}

const forbid = (agent: string, tool_: string) => ({
  text: `forbid(principal == Agent::"${agent}", action, resource == Tool::"db/${tool_}");`,
});

describe.each(['legacy', 'modern'] as const)('a %s client that is connected', (era) => {
  test('sees a tool vanish within a second of the policy that forbids it', async () => {
    const { hub } = await start();
    const { heard, names, client } = await listener(hub, era);
    expect(await names()).toEqual(['db__drop', 'db__read']);
    expect((await admin(hub, 'PUT', '/policies/hide', forbid('local', 'drop'))).status).toBe(201);
    // From when it is in force: the first policy of a process loads the engine.
    const inForceAt = performance.now();
    await until(() => heard.length > 0, 'the change', 10_000);
    expect(performance.now() - inForceAt).toBeLessThan(1_000);
    expect(heard).toEqual(['notifications/tools/list_changed']);
    expect(await names()).toEqual(['db__read']);
    await expect(client.callTool('db__drop')).rejects.toMatchObject({
      code: -32_602,
      message: 'Unknown tool',
    });
    await admin(hub, 'DELETE', '/policies/hide');
    await until(() => heard.length > 1, 'the change back', 10_000);
    expect(await names()).toEqual(['db__drop', 'db__read']);
  });

  test('hears nothing of what happens to others', async () => {
    const { hub } = await start();
    const mine = await listener(hub, era);
    const theirs = await listener(hub, era, KEY);
    await admin(hub, 'PUT', '/policies/hide', forbid('other', 'drop'));
    await until(() => theirs.heard.length > 0, 'the change', 10_000);
    expect(await theirs.names()).toEqual(['db__read']);
    expect(await mine.names()).toEqual(['db__drop', 'db__read']);
    expect(mine.heard).toEqual([]);
  });

  test('hears of tools that an upstream added, once, and not of a sync that found nothing new', async () => {
    const { upstream, hub } = await start();
    const { heard, names } = await listener(hub, era);
    await admin(hub, 'POST', '/connectors/db/sync', {});
    upstream.script = { ...upstream.script, tools: [tool('read'), tool('drop'), tool('add')] };
    await admin(hub, 'POST', '/connectors/db/sync', {});
    await until(() => heard.length > 0, 'the change', 10_000);
    expect(heard).toEqual(['notifications/tools/list_changed']);
    expect(await names()).toEqual(['db__add', 'db__drop', 'db__read']);
  });
});

test('a policy that is not valid changes nothing', async () => {
  const { hub } = await start();
  const { heard, names } = await listener(hub, 'modern');
  for (const text of [
    'forbid(principal',
    'permit(principal == Robot::"x", action, resource);',
    'forbid(principal, action, resource) when { context.nothing };',
  ]) {
    const { status, body } = await admin(hub, 'PUT', '/policies/bad', { text });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('bad') as string]);
  }
  expect((await admin(hub, 'GET', '/policies/bad')).status).toBe(404);
  expect(await names()).toEqual(['db__drop', 'db__read']);
  expect(heard).toEqual([]);
});
