import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../scripts/repository.js';
import { loadConfig } from '../../src/app/index.js';
import { admin } from '../support/admin.js';
import { until } from '../support/http/until.js';
import { eventsOf } from '../support/hub-events.js';
import { authorize, callWith, refresh, registeredClient, signIn } from '../support/oauth-client.js';
import { openRawAgent, type RawAgent } from '../support/raw-agent.js';
import { closeAfterEach } from '../support/resources.js';
import { isRunning } from '../support/stdio/peers.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** What was an agent's own ends with it, and is not found by another that gets its name. */

const keep = closeAfterEach();
const KEY = 'file-agent-key-0123456789abcdef';
const program = (name: string) => ({
  command: process.execPath,
  args: [join(ROOT, 'test', 'support', 'stdio', name)],
  isolation: 'per_principal',
});
const CONFIG = {
  connectors: { telling: program('telling.mjs'), asking: program('asking.mjs') },
  policies: ['all.cedar'],
  idempotencyKeys: true,
};

async function start(agents: object = {}): Promise<TestHub> {
  const files = { 'all.cedar': 'permit(principal, action, resource);' };
  const hub = keep(await startTestHub({ config: { ...CONFIG, agents }, files }));
  for (const id of Object.keys(CONFIG.connectors)) await waitForSync(hub, id);
  return hub;
}

function open(hub: TestHub, key: string): Promise<RawAgent> {
  return openRawAgent({
    url: `${hub.url}/mcp`,
    key,
    era: 'modern',
    capabilities: { elicitation: { form: {} } },
  });
}

async function addAgent(hub: TestHub): Promise<RawAgent> {
  await admin(hub, 'POST', '/agents', { id: 'ci' });
  const { body } = await admin(hub, 'POST', '/agents/ci/keys', {});
  return open(hub, String(body['key']));
}

/** The agents of the configuration are no more. */
async function removeFromFile(hub: TestHub): Promise<void> {
  const { folder } = hub;
  writeFileSync(join(folder, 'crosspoint.json'), JSON.stringify(CONFIG));
  const flags = { port: 0, data: join(folder, 'data') };
  await hub.running.reload(loadConfig({ flags, environment: {}, folder, now: Date.now() }));
}

/** Which process answered, and how many calls it had before. */
async function whose(agent: RawAgent, key?: string): Promise<{ pid: number; before: number }> {
  const _meta = key === undefined ? {} : { 'crosspoint/idempotencyKey': key };
  const { message } = await agent.request('tools/call', { name: 'telling__whose', _meta });
  const result = message?.['result'] as { content?: readonly { text: string }[] } | undefined;
  return JSON.parse(result?.content?.[0]?.text ?? '') as { pid: number; before: number };
}

describe('with an agent that is removed', () => {
  test('its process ends, and another agent of its name begins with a new one', async () => {
    const hub = await start();
    const local = await whose(await open(hub, hub.localKey));
    const { pid } = await whose(await addAgent(hub));
    await admin(hub, 'DELETE', '/agents/ci');
    await until(() => !isRunning(pid), 'the end of the process', 10_000);
    expect(await whose(await addAgent(hub))).toMatchObject({ before: 0 });
    expect(await whose(await open(hub, hub.localKey))).toEqual({ ...local, before: 1 });
  });

  test('from the configuration its process ends too', async () => {
    const hub = await start({ ci: { keys: [KEY] } });
    const { pid } = await whose(await open(hub, KEY));
    await removeFromFile(hub);
    await until(() => !isRunning(pid), 'the end of the process', 10_000);
    expect((await (await open(hub, KEY)).request('tools/list')).status).toBe(401);
  });

  test('from the configuration the programs that acted as it do not act as another of its name', async () => {
    const hub = await start({ ci: { keys: [KEY] } });
    const clientId = await registeredClient(hub);
    const tokens = await authorize(hub, await signIn(hub, KEY), { clientId });
    expect((await callWith(hub, tokens.access_token)).status).toBe(200);
    await removeFromFile(hub);
    expect((await callWith(hub, tokens.access_token)).status).toBe(401);
    await addAgent(hub);
    expect((await callWith(hub, tokens.access_token)).status).toBe(401);
    expect((await refresh(hub, clientId, tokens.refresh_token ?? '')).status).toBe(400);
    expect((await admin(hub, 'GET', '/clients')).body).toMatchObject({ items: [] });
  });

  test('a call that waits for its answer is over', async () => {
    const hub = await start();
    const agent = await addAgent(hub);
    const asked = await agent.request('tools/call', { name: 'asking__ask', arguments: { label: 'x' } });
    expect(asked.message).toMatchObject({ result: { resultType: 'input_required' } });
    expect(await eventsOf(hub, 'call.finished')).toEqual([]);
    await admin(hub, 'DELETE', '/agents/ci');
    const outcomes = async () => (await eventsOf(hub, 'call.finished')).map(({ outcome }) => outcome);
    await expect.poll(outcomes).toEqual(['cancelled']);
    const conversations = () => hub.running.hub.upstreams.owners().size;
    await until(() => conversations() === 0, 'the end of its conversations');
  });

  test('the answers to its calls are forgotten', async () => {
    const hub = await start();
    const first = await addAgent(hub);
    const answer = await whose(first, 'key');
    expect(await whose(first, 'key')).toEqual(answer);
    await admin(hub, 'DELETE', '/agents/ci');
    const second = await addAgent(hub);
    expect((await whose(second, 'key')).pid).not.toBe(answer.pid);
    expect(await eventsOf(hub, 'call.repeated')).toHaveLength(1);
  });
});
