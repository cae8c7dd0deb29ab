import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { McpClient } from '../../src/mcp/client/index.js';
import { isObject, type JsonObject } from '../../src/mcp/jsonrpc/index.js';
import { eventsOf } from '../support/hub-events.js';
import { openRawAgent, type RawAgent } from '../support/raw-agent.js';
import { startFixture } from '../support/start-fixture.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';
import { connectAgent } from '../support/agent-client.js';

/** Calls that go on after their answer: both eras on either side of the hub. */

type Era = 'legacy' | 'modern';
const KEYS = { ada: 'ada-agent-key-0123456789abcdef', bob: 'bob-agent-key-0123456789abcdef' };
const TASKS = 'io.modelcontextprotocol/tasks';
const ERAS: readonly Era[] = ['legacy', 'modern'];
const CELLS = ERAS.flatMap((client) => ERAS.map((upstream) => [client, upstream] as const));

let hub: TestHub;
let urls: Readonly<Record<Era, string>>;
const opened: { close(): Promise<unknown> }[] = [];
const clients: McpClient[] = [];

function configFor() {
  return {
    config: {
      connectors: {
        legacy: { url: urls.legacy, era: 'legacy' },
        modern: { url: urls.modern, era: 'modern' },
      },
      agents: { ada: { keys: [KEYS.ada] }, bob: { keys: [KEYS.bob] } },
      toolsets: { some: { tools: ['legacy__slow_compute'] } },
      policies: ['all.cedar'],
    },
    files: { 'all.cedar': 'permit(principal, action, resource);' },
  };
}

beforeAll(async () => {
  const [legacy, modern] = await Promise.all(ERAS.map((era) => startFixture(['--era', era])));
  opened.push(legacy!, modern!);
  urls = { legacy: legacy!.url, modern: modern!.url };
  hub = await startTestHub(configFor());
  await Promise.all(ERAS.map((era) => waitForSync(hub, era)));
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await hub.close();
  for (const one of opened) await one.close();
});

function agent(who: keyof typeof KEYS, era: Era, path = '/mcp', at = hub): Promise<RawAgent> {
  const declared = era === 'modern' ? { extensions: { [TASKS]: {} } } : {};
  const capabilities = { ...declared, elicitation: { form: {} } };
  return openRawAgent({ url: `${at.url}${path}`, key: KEYS[who], era, capabilities });
}

async function ask(client: RawAgent, method: string, params: JsonObject): Promise<JsonObject> {
  const { message } = await client.request(method, params);
  return (message?.['result'] ?? { error: message?.['error'] }) as JsonObject;
}

/** The handle of a new task, in the form of the client's era. */
async function begin(
  client: RawAgent,
  era: Era,
  name: string,
  args: JsonObject,
): Promise<JsonObject & { readonly taskId: string }> {
  const wish = era === 'legacy' ? { task: { ttl: 60_000 } } : {};
  const result = await ask(client, 'tools/call', { name, arguments: args, ...wish });
  if (era === 'modern') {
    expect(result).toMatchObject({ resultType: 'task', taskId: expect.any(String) });
    return result as JsonObject & { readonly taskId: string };
  }
  expect(result).toMatchObject({ task: { taskId: expect.any(String) } });
  return result['task'] as JsonObject & { readonly taskId: string };
}

async function untilStatus(client: RawAgent, taskId: string, status: string): Promise<JsonObject> {
  let seen: JsonObject = {};
  await expect
    .poll(async () => (seen = await ask(client, 'tasks/get', { taskId }))['status'], { timeout: 8_000 })
    .toBe(status);
  return seen;
}

async function endOf(client: RawAgent, era: Era, taskId: string): Promise<JsonObject> {
  if (era === 'legacy') return ask(client, 'tasks/result', { taskId });
  return (await untilStatus(client, taskId, 'completed'))['result'] as JsonObject;
}

const textIn = (result: JsonObject): unknown =>
  (result['content'] as JsonObject[] | undefined)?.[0]?.['text'];
const UNKNOWN = { error: { code: -32602 } };

describe.each(CELLS)('a %s client and a %s upstream', (era, upstream) => {
  const tool = `${upstream}__slow_compute`;

  test('B31, B32, B34, B35: a call becomes a task under a name of the hub, and its result is the call’s', async () => {
    const ada = await agent('ada', era);
    const { taskId, createdAt } = await begin(ada, era, tool, { seconds: 0.3, label: 'one' });
    expect(taskId).toMatch(/^[\w-]{32}$/);
    expect(Number.isNaN(Date.parse(createdAt as string))).toBe(false);
    const result = await endOf(ada, era, taskId);
    expect(textIn(result)).toBe('Computed one in 0.3 s');
    expect(isObject(result['_meta']) ? result['_meta'] : {}).toEqual(
      era === 'legacy' ? { 'io.modelcontextprotocol/related-task': { taskId } } : expect.anything(),
    );
    expect(await ask(ada, 'tasks/get', { taskId })).toMatchObject({ status: 'completed' });
  });

  test('B1.7: nobody else can see, answer or cancel it', async () => {
    const [ada, bob] = [await agent('ada', era), await agent('bob', era)];
    const [hers, his] = [
      await begin(ada, era, tool, { seconds: 0.5, label: 'hers' }),
      await begin(bob, era, tool, { seconds: 0.5, label: 'his' }),
    ];
    const taskId = hers.taskId;
    const methods = era === 'legacy' ? ['get', 'result', 'cancel'] : ['get', 'update', 'cancel'];
    for (const method of methods)
      expect(await ask(bob, `tasks/${method}`, { taskId, inputResponses: {} })).toMatchObject(UNKNOWN);
    if (era === 'legacy') {
      const { tasks } = (await ask(bob, 'tasks/list', {})) as { tasks: JsonObject[] };
      expect(tasks.map((task) => task['taskId'])).not.toContain(taskId);
      expect(tasks.map((task) => task['taskId'])).toContain(his.taskId);
    }
    expect(textIn(await endOf(bob, era, his.taskId))).toBe('Computed his in 0.5 s');
    expect(textIn(await endOf(ada, era, taskId))).toBe('Computed hers in 0.5 s');
  });

  test('cancelling goes to the upstream, and is written down', async () => {
    const ada = await agent('ada', era);
    const { taskId } = await begin(ada, era, tool, { seconds: 60, label: 'long' });
    const cancelled = await ask(ada, 'tasks/cancel', { taskId });
    expect(cancelled).toMatchObject(era === 'legacy' ? { status: 'cancelled' } : { resultType: 'complete' });
    await untilStatus(ada, taskId, 'cancelled');
    const again = await ask(ada, 'tasks/cancel', { taskId });
    expect(again).toMatchObject(era === 'legacy' ? UNKNOWN : { resultType: 'complete' });
    const [{ callId } = {}] = (await eventsOf(hub, 'call.intended')).slice(-1);
    const ends = (await eventsOf(hub, 'call.finished')).filter((event) => event.callId === callId);
    expect(ends).toMatchObject([{ outcome: 'cancelled', target: 'slow_compute' }]);
  });

  test('B36: what a task asks reaches its caller', async () => {
    if (era === 'legacy') {
      const client = await connectAgent(hub, {
        key: KEYS.ada,
        era: 'legacy',
        handlers: { elicitation: () => ({ action: 'accept', content: { confirm: true } }) },
      });
      clients.push(client);
      const started = await client.startTool(
        `${upstream}__confirm_delete`,
        { filename: 'x' },
        { asTask: {} },
      );
      if (started.type !== 'task') throw new Error('no task');
      expect(textIn((await client.awaitTask(started.task)) as JsonObject)).toBe('Deleted');
      return;
    }
    const ada = await agent('ada', era);
    const { taskId } = await begin(ada, era, `${upstream}__confirm_delete`, { filename: 'x' });
    const { inputRequests } = await untilStatus(ada, taskId, 'input_required');
    const [[key, question]] = Object.entries(inputRequests as JsonObject) as [[string, JsonObject]];
    expect(question).toMatchObject({
      method: 'elicitation/create',
      params: { message: `${upstream}: Delete x?` },
    });
    const inputResponses = { [key]: { action: 'accept', content: { confirm: true } } };
    expect(await ask(ada, 'tasks/update', { taskId, inputResponses })).toMatchObject({
      resultType: 'complete',
    });
    expect(textIn(await endOf(ada, era, taskId))).toBe('Deleted');
  });

  test('B30, B32: a caller that knows no tasks gets the result, and hears what happens', async () => {
    const progress: string[] = [];
    const client = await connectAgent(hub, {
      key: KEYS.bob,
      era,
      handlers: { elicitation: () => ({ action: 'accept', content: { confirm: true } }) },
    });
    clients.push(client);
    const asked = await client.callTool(`${upstream}__confirm_delete`, { filename: 'y' });
    expect(textIn(asked as JsonObject)).toBe('Deleted');
    const failed = await client.callTool(
      `${upstream}__failing_job`,
      {},
      { onProgress: ({ message }) => progress.push(message ?? '') },
    );
    expect(failed).toMatchObject({ isError: true, content: [{ text: 'The job failed' }] });
    expect(progress).toContain('task working');
  });
});

describe('what goes with it', () => {
  test('B30, S33: at the endpoint of a modern server a tool that says it needs tasks is refused as there', async () => {
    const called = async (
      era: Era,
      path: string,
      name: string,
      args = {},
      capabilities = {},
    ): Promise<JsonObject> => {
      const bob = await openRawAgent({ url: `${hub.url}${path}`, key: KEYS.bob, era, capabilities });
      return ask(bob, 'tools/call', { name, arguments: args });
    };
    const done = { isError: true, content: [{ text: 'The job failed' }] };
    // Who can be asked something is served by rounds, which changes nothing of it.
    for (const capabilities of [{}, { elicitation: {} }])
      expect(await called('modern', '/connectors/modern/mcp', 'failing_job', {}, capabilities)).toMatchObject(
        {
          error: { code: -32021, data: { requiredCapabilities: { extensions: { [TASKS]: {} } } } },
        },
      );
    expect(textIn(await called('modern', '/connectors/modern/mcp', 'slow_compute', { seconds: 0.01 }))).toBe(
      'Computed  in 0.01 s',
    );
    expect(await called('legacy', '/connectors/modern/mcp', 'failing_job')).toMatchObject(done);
    expect(await called('modern', '/connectors/legacy/mcp', 'failing_job')).toMatchObject(done);
    expect(await called('modern', '/mcp', 'modern__failing_job')).toMatchObject(done);
  });

  test('B33: tools say where a task can be asked for, to those who can ask', async () => {
    const ada = await agent('ada', 'legacy');
    const { tools } = (await ask(ada, 'tools/list', {})) as { tools: JsonObject[] };
    const executionOf = (name: string): unknown => tools.find((tool) => tool['name'] === name)?.['execution'];
    expect(executionOf('legacy__slow_compute')).toEqual({ taskSupport: 'optional' });
    expect(executionOf('legacy__failing_job')).toEqual({ taskSupport: 'optional' });
    expect(executionOf('modern__slow_compute')).toEqual({ taskSupport: 'optional' });
    expect(executionOf('legacy__greet')).toBeUndefined();
    const refused = await ask(ada, 'tools/call', {
      name: 'legacy__greet',
      arguments: { name: 'x' },
      task: {},
    });
    expect(refused).toMatchObject({ error: { code: -32601 } });
    const old = await openRawAgent({
      url: `${hub.url}/mcp`,
      key: KEYS.ada,
      era: 'legacy',
      revision: '2025-06-18',
    });
    const { tools: plain } = (await ask(old, 'tools/list', {})) as { tools: JsonObject[] };
    expect(plain.some((tool) => tool['execution'] !== undefined)).toBe(false);
    expect(await ask(old, 'tasks/list', {})).toMatchObject({ error: { code: -32601 } });
  });

  test('a result that is there at once is a task too for whoever wants one', async () => {
    const ada = await agent('ada', 'legacy');
    const result = await ask(ada, 'tools/call', {
      name: 'modern__greet',
      arguments: { name: 'x' },
      task: { ttl: 5_000 },
    });
    expect(result).toMatchObject({ task: { status: 'completed', ttl: 5_000 } });
    const { taskId } = result['task'] as { taskId: string };
    expect(textIn(await ask(ada, 'tasks/result', { taskId }))).toBe('Hello, x!');
  });

  test('a task is known where its tool is: at its connector and in its toolset, not at another', async () => {
    const ada = await agent('ada', 'modern', '/connectors/legacy/mcp');
    const { taskId } = await begin(ada, 'modern', 'slow_compute', { seconds: 0.1, label: 'here' });
    const elsewhere = await agent('ada', 'modern', '/connectors/modern/mcp');
    expect(await ask(elsewhere, 'tasks/get', { taskId })).toMatchObject(UNKNOWN);
    for (const path of ['/mcp', '/toolsets/some/mcp']) {
      const there = await agent('ada', 'modern', path);
      expect(textIn(await endOf(there, 'modern', taskId))).toBe('Computed here in 0.1 s');
    }
  });

  test('who did not declare tasks is told what it lacks', async () => {
    const plain = await openRawAgent({ url: `${hub.url}/mcp`, key: KEYS.ada, era: 'modern' });
    const answer = await plain.request('tasks/get', { taskId: 'x' });
    expect(answer.message).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { extensions: { [TASKS]: {} } } } },
    });
  });
});

test('B31: a handle is good after a restart of the hub, and the call is written down once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-tasks-'));
  const first = await startTestHub({ ...configFor(), folder });
  await Promise.all(ERAS.map((era) => waitForSync(first, era)));
  const ada = await agent('ada', 'modern', '/mcp', first);
  const name = (era: Era): string => `${era}__slow_compute`;
  const modern = await begin(ada, 'modern', name('modern'), { seconds: 0.5, label: 'kept' });
  const legacy = await begin(ada, 'modern', name('legacy'), { seconds: 0.5, label: 'kept too' });
  expect(await eventsOf(first, 'call.finished')).toEqual([]);
  await first.close();
  const second = await startTestHub({ ...configFor(), folder });
  try {
    const [again, bob] = [
      await agent('ada', 'modern', '/mcp', second),
      await agent('bob', 'modern', '/mcp', second),
    ];
    for (const [{ taskId }, label] of [
      [modern, 'kept'],
      [legacy, 'kept too'],
    ] as const) {
      expect(await ask(bob, 'tasks/get', { taskId })).toMatchObject(UNKNOWN);
      expect(textIn(await endOf(again, 'modern', taskId))).toBe(`Computed ${label} in 0.5 s`);
    }
    expect(await eventsOf(second, 'call.intended')).toHaveLength(2);
    expect(await eventsOf(second, 'call.finished')).toMatchObject([{ outcome: 'ok' }, { outcome: 'ok' }]);
  } finally {
    await second.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('B24: whoever listens for a task hears of each change, and nobody else does', async () => {
  const [ada, bob] = [await agent('ada', 'modern'), await agent('bob', 'modern')];
  const { taskId } = await begin(ada, 'modern', 'legacy__slow_compute', { seconds: 0.4, label: 'told' });
  const heard: string[] = [];
  const listen = async (key: string): Promise<McpClient> => {
    const client = await connectAgent(hub, {
      key,
      era: 'modern',
      capabilities: { extensions: { [TASKS]: {} } },
    });
    clients.push(client);
    await client.subscribe({ taskIds: [taskId] }, ({ params }) =>
      heard.push(`${key.slice(0, 3)} ${params?.['status'] as string}`),
    );
    return client;
  };
  await listen(KEYS.ada);
  await listen(KEYS.bob);
  await expect.poll(() => heard, { timeout: 5_000 }).toEqual(['ada completed']);
  expect(await ask(bob, 'tasks/get', { taskId })).toMatchObject(UNKNOWN);
});
