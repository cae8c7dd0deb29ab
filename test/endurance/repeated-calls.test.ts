import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/mcp/jsonrpc/index.js';
import { until } from '../support/http/until.js';
import { eventsOf } from '../support/hub-events.js';
import { openRawAgent } from '../support/raw-agent.js';
import { requestsOf } from '../support/remote-connector.js';
import { startUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** F52: a client that does not know whether its call was carried out sends it again. */

const KEYS = { ada: 'ada-agent-key-0123456789abcdef', bob: 'bob-agent-key-0123456789abcdef' };
let upstream: ScriptedUpstream;
let hub: TestHub;
let executions = 0;
const waiting: (() => void)[] = [];

const config = (url: string) => ({
  connectors: { up: { url, era: 'legacy' } },
  agents: { ada: { keys: [KEYS.ada] }, bob: { keys: [KEYS.bob] } },
  policies: ['all.cedar'],
  idempotencyKeys: true,
});
const files = { 'all.cedar': 'permit(principal, action, resource);' };

beforeAll(async () => {
  upstream = await startUpstream({
    tools: ['count', 'hold', 'drop', 'refuse'].map((name) => ({ name, inputSchema: { type: 'object' } })),
    call: async (name, _args, { rpc }, response) => {
      const number = ++executions;
      if (name === 'hold') await new Promise<void>((resolve) => waiting.push(resolve));
      if (name === 'drop') return void response.destroy();
      if (name === 'refuse') {
        const error = { code: -32_050, message: `no ${number}` };
        response.writeHead(200, { 'content-type': 'application/json' });
        return void response.end(JSON.stringify({ jsonrpc: '2.0', id: rpc.id, error }));
      }
      return { content: [{ type: 'text', text: `execution ${number}` }], structuredContent: { big: number } };
    },
  });
  hub = await startTestHub({ config: config(upstream.url), files });
  await waitForSync(hub, 'up');
});
afterAll(async () => {
  for (const go of waiting) go();
  await hub.close();
  rmSync(hub.folder, { recursive: true, force: true });
  await upstream.close();
});

const agent = (who: keyof typeof KEYS, era: 'legacy' | 'modern' = 'modern') =>
  openRawAgent({ url: `${hub.url}/mcp`, key: KEYS[who], era });

type Agent = Awaited<ReturnType<typeof agent>>;

async function call(by: Agent, tool: string, key: Json | undefined, args: JsonObject = {}): Promise<string> {
  const _meta = key === undefined ? {} : { 'crosspoint/idempotencyKey': key };
  const { message } = await by.request('tools/call', { name: `up__${tool}`, arguments: args, _meta });
  const { id: _, ...answer } = (message ?? {}) as Record<string, unknown>;
  return JSON.stringify(answer);
}

test.each(['legacy', 'modern'] as const)('F52: %s: with a key once, without one each time', async (era) => {
  const ada = await agent('ada', era);
  const before = executions;
  const first = await call(ada, 'count', `key-${era}`);
  expect(first).toContain(`execution ${before + 1}`);
  expect(await call(ada, 'count', `key-${era}`)).toBe(first);
  expect(executions).toBe(before + 1);
  for (const key of [undefined, undefined, `other-${era}`]) await call(ada, 'count', key);
  expect(executions).toBe(before + 4);
  const repeated = await eventsOf(hub, 'call.repeated');
  const finished = await eventsOf(hub, 'call.finished');
  expect(finished.map(({ callId }) => callId)).toContain(repeated.at(-1)?.of);
});

test('F52: a key is the agent’s own, and for one tool with the same arguments', async () => {
  const [ada, bob] = [await agent('ada'), await agent('bob')];
  const first = await call(ada, 'count', 'shared');
  expect(await call(bob, 'count', 'shared')).not.toBe(first);
  expect(await call(ada, 'count', 'shared', { other: 1 })).toContain('used for another call');
  expect(await call(ada, 'hold', 'shared')).toContain('used for another call');
  for (const key of ['', 7, 'x'.repeat(256)])
    expect(await call(ada, 'count', key)).toContain('must be text of 1 to 255 characters');
});

test('F52: the client is gone before the answer: whoever comes again waits for it', async () => {
  const ada = await agent('ada');
  const before = executions;
  const leaving = new AbortController();
  const body = {
    name: 'up__hold',
    arguments: {},
    _meta: { 'crosspoint/idempotencyKey': 'dropped' },
  };
  const lost = fetch(`${hub.url}/mcp/tools/call`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEYS.ada}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: leaving.signal,
  }).catch(() => 'lost');
  await until(() => waiting.length === 1, 'the call to arrive');
  leaving.abort();
  expect(await lost).toBe('lost');
  const [second, third] = [call(ada, 'hold', 'dropped'), call(ada, 'hold', 'dropped')];
  waiting.pop()?.();
  expect(await second).toContain(`execution ${before + 1}`);
  expect(await third).toBe(await second);
  expect(executions).toBe(before + 1);
  expect(requestsOf(upstream.seen, 'notifications/cancelled')).toEqual([]);
});

test.each(['drop', 'refuse'])(
  'F52: a failure that may have been carried out is not tried again: %s',
  async (tool) => {
    const ada = await agent('ada');
    const before = executions;
    const first = await call(ada, tool, `key-${tool}`);
    expect(await call(ada, tool, `key-${tool}`)).toBe(first);
    expect(executions).toBe(before + 1);
  },
);

test('F52: after a restart the answer is still known, and of a call that was interrupted that it was', async () => {
  let ada = await agent('ada');
  const first = await call(ada, 'count', 'before');
  const before = executions;
  const { tickets, instances } = hub.running.hub.storage;
  const name = JSON.stringify(['ada', 'interrupted']);
  await call(ada, 'count', 'interrupted');
  const kept = await tickets.find('call', name);
  const value = JSON.stringify({
    ...JSON.parse(kept!.value),
    state: 'running',
    by: 'a process that is gone',
  });
  await tickets.put({ ...kept!, value });
  await instances.beat('a process that is gone');
  await hub.running.stop();
  hub = await startTestHub({ config: config(upstream.url), files, folder: hub.folder });
  await waitForSync(hub, 'up');
  ada = await agent('ada');
  expect(await call(ada, 'count', 'before')).toBe(first);
  expect(await call(ada, 'count', 'interrupted')).toContain('was interrupted');
  expect(executions).toBe(before + 1);
});
