import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../scripts/repository.js';
import type { JsonObject } from '../../src/mcp/jsonrpc/index.js';
import { admin } from '../support/admin.js';
import { connectAgent } from '../support/agent-client.js';
import { eventsOf } from '../support/hub-events.js';
import { openRawAgent, type RawAgent } from '../support/raw-agent.js';
import { SHARED_BY, useSharedPlace } from '../support/replica-set.js';
import {
  FIXTURE_ARGUMENTS,
  FIXTURE_COMMAND,
  startFixture,
  type RunningFixture,
} from '../support/start-fixture.js';
import { waitForSync, type TestHub } from '../support/start-hub.js';

/** Tasks of programs, of which each replica has its own: only the one that began a task can ask about it. */

type Era = 'legacy' | 'modern';
const ERAS: readonly Era[] = ['legacy', 'modern'];
const CELLS = ERAS.flatMap((client) => ERAS.map((upstream) => [client, upstream] as const));
const EXTENSION = 'io.modelcontextprotocol/tasks';
const hubs: TestHub[] = [];
/** One server for all replicas. */
let far: RunningFixture | undefined;

function program(era: Era): object {
  return { command: FIXTURE_COMMAND, args: [...FIXTURE_ARGUMENTS, '--era', era, '--stdio'], cwd: ROOT, era };
}

/** One client, as each of the replicas knows it. */
async function roving(era: Era, key = hubs[0]!.localKey): Promise<RawAgent[]> {
  const declared = era === 'modern' ? { extensions: { [EXTENSION]: {} } } : {};
  const capabilities = { ...declared, elicitation: { form: {} } };
  return Promise.all(hubs.map(({ url }) => openRawAgent({ url: `${url}/mcp`, key, era, capabilities })));
}

async function ask(client: RawAgent | undefined, method: string, params: JsonObject): Promise<JsonObject> {
  const { message } = (await client?.request(method, params)) ?? {};
  return (message?.['result'] ?? { error: message?.['error'] }) as JsonObject;
}

async function begin(client: RawAgent | undefined, name: string, args: JsonObject): Promise<string> {
  const result = await ask(client, 'tools/call', { name, arguments: args, task: { ttl: 60_000 } });
  const { taskId } = (result['task'] ?? result) as JsonObject;
  expect(taskId, JSON.stringify(result)).toMatch(/^[\w-]{32}$/);
  return taskId as string;
}

async function untilStatus(
  client: RawAgent | undefined,
  taskId: string,
  status: string,
): Promise<JsonObject> {
  let seen: JsonObject = {};
  await expect
    .poll(async () => (seen = await ask(client, 'tasks/get', { taskId }))['status'], { timeout: 8_000 })
    .toBe(status);
  return seen;
}

async function endOf(client: RawAgent | undefined, era: Era, taskId: string): Promise<JsonObject> {
  if (era === 'legacy') return ask(client, 'tasks/result', { taskId });
  return (await untilStatus(client, taskId, 'completed'))['result'] as JsonObject;
}

const textIn = (result: JsonObject): unknown =>
  (result['content'] as JsonObject[] | undefined)?.[0]?.['text'];

describe.each(SHARED_BY)('%s', (by) => {
  const place = useSharedPlace(by);
  beforeAll(async () => {
    far = await startFixture(['--era', 'modern']);
    const connectors = { legacy: program('legacy'), modern: program('modern'), far: { url: far.url } };
    for (let index = 0; index < 3; index++) hubs.push(await place().start({ connectors }));
    for (const hub of hubs) for (const id of Object.keys(connectors)) await waitForSync(hub, id);
  }, 120_000);
  afterAll(async () => {
    for (const hub of hubs.splice(0)) await hub.close();
    await far?.close();
  }, 60_000);

  describe.each(CELLS)('a task of a %s client at a %s upstream', (era, upstream) => {
    const tool = `${upstream}__slow_compute`;

    test('is known at every replica, and its end is told by each', async () => {
      const [one, two, three] = await roving(era);
      const label = `${by}-${era}-${upstream}`;
      const taskId = await begin(one, tool, { seconds: 0.5, label });
      expect(await ask(two, 'tasks/get', { taskId })).toMatchObject({ taskId });
      const ends = await Promise.all([two, three, one].map((at) => endOf(at, era, taskId)));
      expect(ends.map(textIn)).toEqual(ends.map(() => `Computed ${label} in 0.5 s`));
      const calls = (await eventsOf(hubs[0]!, 'call.finished')).filter(
        ({ target }) => target === 'slow_compute',
      );
      expect(calls.map(({ outcome }) => outcome)).not.toContain('outcome_unknown');
    });

    test('what it asks is answered at another replica', async () => {
      const [one, two, three] = await roving(era);
      const taskId = await begin(one, `${upstream}__confirm_delete`, { filename: 'x' });
      if (era === 'legacy') {
        await untilStatus(two, taskId, 'input_required');
        return;
      }
      const { inputRequests } = await untilStatus(two, taskId, 'input_required');
      const [[key, question]] = Object.entries(inputRequests as JsonObject) as [[string, JsonObject]];
      expect(question).toMatchObject({ params: { message: `${upstream}: Delete x?` } });
      const inputResponses = { [key]: { action: 'accept', content: { confirm: true } } };
      expect(await ask(three, 'tasks/update', { taskId, inputResponses })).not.toHaveProperty('error');
      expect(textIn(await endOf(two, era, taskId))).toBe('Deleted');
    });

    test('is cancelled through another replica, and stays so everywhere', async () => {
      const [one, two, three] = await roving(era);
      const taskId = await begin(one, tool, { seconds: 30, label: 'long' });
      expect(await ask(two, 'tasks/cancel', { taskId })).not.toHaveProperty('error');
      for (const at of [one, two, three]) await untilStatus(at, taskId, 'cancelled');
    });
  });

  test('a result that came at once is there for whoever asks anywhere', async () => {
    const [one, two] = await roving('legacy');
    const taskId = await begin(one, 'modern__greet', { name: 'x' });
    expect(textIn(await ask(two, 'tasks/result', { taskId }))).toBe('Hello, x!');
  });

  test('B24: whoever listens at another replica hears of each change', async () => {
    const [one] = await roving('modern');
    const taskId = await begin(one, 'legacy__slow_compute', { seconds: 0.5, label: 'told' });
    const heard: unknown[] = [];
    const capabilities = { extensions: { [EXTENSION]: {} } };
    const client = await connectAgent(hubs[1]!, { key: hubs[0]!.localKey, era: 'modern', capabilities });
    await client.subscribe({ taskIds: [taskId] }, ({ params }) => heard.push(params?.['status']));
    await expect.poll(() => heard, { timeout: 5_000 }).toEqual(['completed']);
    await client.close();
  });

  test('another replica goes on with it when the one that began it ends', async () => {
    const clients = await roving('modern');
    const taskId = await begin(clients.at(-1), 'far__slow_compute', { seconds: 1, label: 'far' });
    const [, waiting] = await roving('legacy');
    const longer = await begin(clients.at(-1), 'far__slow_compute', { seconds: 4, label: 'longer' });
    const waited = ask(waiting, 'tasks/result', { taskId: longer });
    const listening = await connectAgent(hubs[0]!, {
      key: hubs[0]!.localKey,
      era: 'modern',
      capabilities: { extensions: { [EXTENSION]: {} } },
    });
    const heard: unknown[] = [];
    await listening.subscribe({ taskIds: [taskId] }, ({ params }) => heard.push(params?.['status']));
    await hubs.pop()?.close();
    expect(textIn(await endOf(clients[1], 'modern', taskId))).toBe('Computed far in 1 s');
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual(['completed']);
    expect(textIn(await waited)).toBe('Computed longer in 4 s');
    await listening.close();
  });

  test('nobody else learns of it, wherever', async () => {
    const [one] = await roving('modern');
    const taskId = await begin(one, 'modern__slow_compute', { seconds: 0.5, label: 'hers' });
    await admin(hubs[0]!, 'POST', '/agents', { id: 'eve', name: 'Eve' });
    const { body } = await admin(hubs[0]!, 'POST', '/agents/eve/keys', {});
    const policy = { text: 'permit (principal == Agent::"eve", action, resource);' };
    await admin(hubs[0]!, 'PUT', '/policies/eve', policy);
    const strangers = await roving('modern', (body as { key: string }).key);
    for (const eve of strangers)
      expect(await ask(eve, 'tasks/get', { taskId })).toMatchObject({ error: { code: -32602 } });
  });
});
