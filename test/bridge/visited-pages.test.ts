import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/mcp/jsonrpc/index.js';
import { connectAgent } from '../support/agent-client.js';
import { openRawAgent } from '../support/raw-agent.js';
import { startUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** An upstream sends somebody to a page, and tells later that it was visited. */

const KEYS = { ada: 'ada-agent-key-0123456789abcdef', bob: 'bob-agent-key-0123456789abcdef' };
const CAPABILITIES = { elicitation: { form: {}, url: {} } };
/** Pages for which what is no call is refused. */
const REFUSED: Readonly<Record<string, string>> = {
  'prompts/get': 'prompt-page',
  'resources/read': 'note-page',
};
const streams = new Set<ServerResponse>();
const visited = new Set<string>();
let upstream: ScriptedUpstream;
let hub: TestHub;

function refuse(id: unknown, elicitationId: string, response: ServerResponse): undefined {
  const page = { mode: 'url', elicitationId, url: 'https://sign.example/in', message: 'Sign in' };
  const error = { code: -32_042, message: 'Sign in first', data: { elicitations: [page] } };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
}

function visit(elicitationId: string): void {
  visited.add(elicitationId);
  const message = { jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId } };
  for (const stream of streams) stream.write(`data: ${JSON.stringify(message)}\n\n`);
}

beforeAll(async () => {
  upstream = await startUpstream({
    revision: '2025-11-25',
    tools: [{ name: 'open', inputSchema: { type: 'object', properties: { page: { type: 'string' } } } }],
    prompts: [{ name: 'brief' }],
    resources: [{ uri: 'note://one', name: 'one' }],
    intercept: ({ httpMethod, rpc }, response) => {
      const refusedFor = REFUSED[rpc.method ?? ''];
      if (refusedFor !== undefined) {
        refuse(rpc.id, refusedFor, response);
        return true;
      }
      if (httpMethod !== 'GET') return false;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      streams.add(response);
      return true;
    },
    call: (_name, args, { rpc }, response) => {
      const { page } = args as { page: string };
      return visited.has(page)
        ? { content: [{ type: 'text', text: `visited ${page}` }] }
        : refuse(rpc.id, page, response);
    },
  });
  hub = await startTestHub({
    config: {
      connectors: { pages: { url: upstream.url, era: 'legacy' } },
      agents: { ada: { keys: [KEYS.ada] }, bob: { keys: [KEYS.bob] } },
      policies: ['all.cedar'],
    },
    files: { 'all.cedar': 'permit(principal, action, resource);' },
  });
  await waitForSync(hub, 'pages');
});
afterAll(async () => {
  await hub.close();
  await upstream.close();
});

test('B24, B16: a legacy client that was sent to a page hears that it was visited, and nobody else does', async () => {
  const heard: string[] = [];
  const open = (who: keyof typeof KEYS) =>
    connectAgent(hub, {
      key: KEYS[who],
      era: 'legacy',
      capabilities: CAPABILITIES,
      onNotification: ({ method, params }) => {
        if (method === 'notifications/elicitation/complete')
          heard.push(`${who} ${params?.['elicitationId'] as string}`);
      },
    });
  const [ada, bob] = [await open('ada'), await open('bob')];
  try {
    const failed = async (client: typeof ada, page: string): Promise<unknown> =>
      client.callTool('pages__open', { page }).catch((error: unknown) => error);
    expect(await failed(ada, 'ada-page')).toMatchObject({ code: -32_042 });
    expect(await failed(bob, 'bob-page')).toMatchObject({ code: -32_042 });
    visit('ada-page');
    visit('unknown-page');
    visit('bob-page');
    await expect.poll(() => heard.toSorted(), { timeout: 5_000 }).toEqual(['ada ada-page', 'bob bob-page']);
    expect(await failed(ada, 'ada-page')).toMatchObject({ content: [{ text: 'visited ada-page' }] });
  } finally {
    await ada.close();
    await bob.close();
  }
});

test('B24: so does one that was sent there for a prompt or a resource', async () => {
  const heard: unknown[] = [];
  const ada = await connectAgent(hub, {
    key: KEYS.ada,
    era: 'legacy',
    capabilities: CAPABILITIES,
    onNotification: ({ params }) => heard.push(params?.['elicitationId']),
  });
  try {
    await expect(ada.getPrompt('pages__brief')).rejects.toMatchObject({ code: -32_042 });
    await expect(ada.readResource('note://one')).rejects.toMatchObject({ code: -32_042 });
    for (const page of Object.values(REFUSED)) visit(page);
    await expect
      .poll(() => heard.map(String).toSorted(), { timeout: 10_000 })
      .toEqual(['note-page', 'prompt-page']);
  } finally {
    await ada.close();
  }
});

test('B16: a modern client that agreed to a visit need not come again when the visit takes a while', async () => {
  const ada = await openRawAgent({
    url: `${hub.url}/mcp`,
    key: KEYS.ada,
    era: 'modern',
    capabilities: CAPABILITIES,
  });
  const call = { name: 'pages__open', arguments: { page: 'slow-page' } };
  const { message } = await ada.request('tools/call', call);
  const { inputRequests, requestState } = (message ?? {})['result'] as {
    inputRequests: JsonObject;
    requestState: string;
  };
  const [key] = Object.keys(inputRequests);
  const inputResponses = { [key as string]: { action: 'accept' } };
  const calls = (): number => upstream.methods().filter((method) => method === 'tools/call').length;
  const before = calls();
  const done = ada.request('tools/call', { ...call, inputResponses, requestState });
  await expect.poll(calls, { timeout: 5_000 }).toBe(before + 1);
  visit('slow-page');
  expect((await done).message).toMatchObject({
    result: { resultType: 'complete', content: [{ text: 'visited slow-page' }] },
  });
});
