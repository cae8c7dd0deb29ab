import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../../scripts/repository.js';
import type { JsonObject } from '../../src/mcp/jsonrpc/index.js';
import { eventsOf } from '../support/hub-events.js';
import { openRawAgent, type RawAgent } from '../support/raw-agent.js';
import { FIXTURE_ARGUMENTS, FIXTURE_COMMAND } from '../support/start-fixture.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** Tasks of a program that ends with the hub: the next process knows nothing of them. */

const KEYS = { ada: 'ada-agent-key-0123456789abcdef', bob: 'bob-agent-key-0123456789abcdef' };
const CONFIG = {
  config: {
    connectors: {
      program: {
        command: FIXTURE_COMMAND,
        args: [...FIXTURE_ARGUMENTS, '--era', 'legacy', '--stdio'],
        cwd: ROOT,
        era: 'legacy',
      },
    },
    agents: { ada: { keys: [KEYS.ada] }, bob: { keys: [KEYS.bob] } },
    policies: ['all.cedar'],
  },
  files: { 'all.cedar': 'permit(principal, action, resource);' },
};
const UNKNOWN = { error: { code: -32_602 } };

const folder = mkdtempSync(join(tmpdir(), 'crosspoint-kept-tasks-'));
let hub: TestHub;

beforeAll(() => start());
afterAll(async () => {
  await hub.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<void> {
  hub = await startTestHub({ ...CONFIG, folder });
  await waitForSync(hub, 'program');
}

function agent(who: keyof typeof KEYS): Promise<RawAgent> {
  return openRawAgent({ url: `${hub.url}/mcp`, key: KEYS[who], era: 'legacy' });
}

async function ask(client: RawAgent, method: string, params: JsonObject): Promise<JsonObject> {
  const { message } = await client.request(method, params);
  return (message?.['result'] ?? { error: message?.['error'] }) as JsonObject;
}

async function begin(client: RawAgent, tool: string, args: JsonObject): Promise<string> {
  const params = { name: `program__${tool}`, arguments: args, task: { ttl: 60_000 } };
  const result = await ask(client, 'tools/call', params);
  expect(result).toMatchObject({ task: { taskId: expect.any(String) } });
  return (result['task'] as { readonly taskId: string }).taskId;
}

test('B31: what a task had given is given to its agent after a restart, and to nobody else', async () => {
  const ada = await agent('ada');
  const done = await begin(ada, 'slow_compute', { seconds: 0.1, label: 'kept' });
  const failed = await begin(ada, 'failing_job', {});
  const running = await begin(ada, 'slow_compute', { seconds: 60, label: 'long' });
  const [result, failure] = [
    await ask(ada, 'tasks/result', { taskId: done }),
    await ask(ada, 'tasks/result', { taskId: failed }),
  ];
  expect(result).toMatchObject({ content: [{ text: 'Computed kept in 0.1 s' }] });
  await hub.close();
  await start();
  const [again, bob] = [await agent('ada'), await agent('bob')];
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
    expect(await ask(bob, method, { taskId: done })).toMatchObject(UNKNOWN);
  expect(await ask(again, 'tasks/get', { taskId: done })).toMatchObject({ status: 'completed' });
  expect(await ask(again, 'tasks/result', { taskId: done })).toEqual(result);
  expect(await ask(again, 'tasks/result', { taskId: failed })).toEqual(failure);
  expect(await ask(again, 'tasks/get', { taskId: running })).toMatchObject(UNKNOWN);
  const ends = await eventsOf(hub, 'call.finished');
  expect(ends.map(({ outcome }) => outcome).toSorted()).toEqual(['ok', 'outcome_unknown', 'tool_error']);
  expect(await eventsOf(hub, 'call.intended')).toHaveLength(3);
});
