import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/mcp/jsonrpc/index.js';
import { eventsOf } from '../support/hub-events.js';
import { openRawAgent } from '../support/raw-agent.js';
import { requestsOf } from '../support/remote-connector.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

/** A consent is for one call: these arguments, under these policies, once, and only after it was asked for. */

const keep = closeAfterEach();
const KEY = 'careful-agent-key-0123456789abc';
const CONFIRM = '@confirm("Cannot be undone.")\npermit(principal == Agent::"careful", action, resource);';
const ACCEPT = { action: 'accept', content: {} };
const QUESTION = 'crosspoint/confirmation';

async function start(folder?: string) {
  const upstream = keep(await startUpstream({ tools: [{ name: 'drop', inputSchema: { type: 'object' } }] }));
  const hub = keep(
    await startTestHub({
      config: {
        connectors: { db: { url: upstream.url } },
        agents: { careful: { keys: [KEY] } },
        policies: ['careful.cedar'],
      },
      files: { 'careful.cedar': CONFIRM },
      ...(folder !== undefined && { folder }),
    }),
  );
  await waitForSync(hub, 'db');
  const capabilities = { elicitation: {} };
  const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: KEY, era: 'modern', capabilities });
  const call = async (table: string, more: JsonObject = {}): Promise<JsonObject> => {
    const params = { name: 'db__drop', arguments: { table }, ...more };
    return (await agent.request('tools/call', params)).message as JsonObject;
  };
  const ask = async (table: string, more?: JsonObject): Promise<string> => {
    const { result } = (await call(table, more)) as { result: JsonObject };
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { [QUESTION]: {} } });
    return result['requestState'] as string;
  };
  const executed = () => requestsOf(upstream.seen, 'tools/call').length;
  return { hub, call, ask, executed };
}

const DONE = { result: { resultType: 'complete', content: [{}] } };
const inputResponses = { [QUESTION]: ACCEPT };

test('an answer to a question that was never asked is none', async () => {
  const { ask, executed } = await start();
  await ask('x', { inputResponses });
  expect(executed()).toBe(0);
});

test('a consent is used once, and for the arguments it was given for', async () => {
  const { hub, call, ask, executed } = await start();
  const requestState = await ask('x');
  expect(await call('y', { inputResponses, requestState })).toMatchObject({ error: { code: -32602 } });
  expect(await call('x', { inputResponses, requestState })).toMatchObject(DONE);
  expect(await call('x', { inputResponses, requestState })).toMatchObject({ error: { code: -32602 } });
  expect(executed()).toBe(1);
  await ask('x');
  expect(await eventsOf(hub, 'call.intended')).toHaveLength(1);
});

test('policies that changed meanwhile want a consent of their own', async () => {
  const { hub, call, ask, executed } = await start();
  const before = await ask('x');
  hub.running.hub.policy.load([{ id: 'other', text: CONFIRM } as never]);
  const requestState = await ask('x', { inputResponses, requestState: before });
  expect(executed()).toBe(0);
  expect(await call('x', { inputResponses, requestState })).toMatchObject(DONE);
  expect(executed()).toBe(1);
});

test('a consent outlives a restart of the hub, and so does that it was used', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-consent-'));
  keep({ close: async () => rmSync(folder, { recursive: true, force: true }) });
  const first = await start(folder);
  const [unused, used] = [await first.ask('x'), await first.ask('y')];
  expect(await first.call('y', { inputResponses, requestState: used })).toMatchObject(DONE);
  await first.hub.close();
  const second = await start(folder);
  expect(await second.call('y', { inputResponses, requestState: used })).toMatchObject({
    error: { code: -32602 },
  });
  expect(await second.call('x', { inputResponses, requestState: unused })).toMatchObject(DONE);
  expect([first.executed(), second.executed()]).toEqual([1, 1]);
});
