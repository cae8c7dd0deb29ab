import { Client as V2Client, StreamableHTTPClientTransport as V2Http } from '@modelcontextprotocol/client';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Http } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { addConnector } from '../support/add-connector.js';
import { eventsOf } from '../support/hub-events.js';
import { requestsOf } from '../support/remote-connector.js';
import { openRawAgent } from '../support/raw-agent.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream, type SeenRequest, type UpstreamScript } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

/** How much, how often, how many at once; and lists in pages. */

const keep = closeAfterEach();
const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });

async function start(options: {
  script?: UpstreamScript;
  connector?: object;
  config?: object;
  era?: 'legacy' | 'modern';
}) {
  const { script, connector, config, era = 'modern' } = options;
  const upstream = keep(
    await startUpstream({ tools: [tool('a'), tool('b')], prompts: [{ name: 'p' }], ...script }),
  );
  const hub = keep(
    await startTestHub({ config: { connectors: { up: { url: upstream.url, ...connector } }, ...config } }),
  );
  await waitForSync(hub, 'up');
  const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era });
  const call = async (name: string, args = {}) =>
    (await agent.request('tools/call', { name: `up__${name}`, arguments: args })).message;
  return { upstream, hub, agent, call };
}

describe('S55, B1.14: rates', () => {
  test.each([
    ['modern', -31_029],
    ['legacy', -32_000],
  ] as const)('too many calls of an agent are refused with the time to wait, %s', async (era, code) => {
    const { upstream, hub, agent, call } = await start({
      era,
      config: { limits: { perAgent: { perSecond: 0.1, burst: 2 } } },
    });
    for (const name of ['a', 'b']) expect(await call(name)).toHaveProperty('result');
    const { status, headers, message } = await agent.request('tools/call', { name: 'up__a', arguments: {} });
    expect(message).toMatchObject({
      error: { code, data: { reason: 'rate_limited', retryAfterMs: expect.any(Number) as number } },
    });
    expect([status, Number(headers.get('retry-after'))]).toEqual([429, expect.closeTo(8, -1)]);
    expect(requestsOf(upstream.seen, 'tools/call')).toHaveLength(2);
    expect(await eventsOf(hub, 'call.refused')).toMatchObject([{ outcome: 'denied', error: 'rate_limited' }]);
  });

  test.each([
    ['modern', -31_029],
    ['legacy', -32_000],
  ] as const)('S55: suggestions for arguments count like calls, %s', async (era, code) => {
    const { upstream, agent, call } = await start({
      era,
      script: {
        capabilities: { completions: {} },
        results: { 'completion/complete': () => ({ completion: { values: ['x'] } }) },
      },
      config: { limits: { perAgent: { perSecond: 0.1, burst: 2 } } },
    });
    const params = { ref: { type: 'ref/prompt', name: 'up__p' }, argument: { name: 'a', value: '' } };
    const complete = () => agent.request('completion/complete', params);
    expect((await complete()).message).toMatchObject({ result: { completion: { values: ['x'] } } });
    expect(await call('a')).toHaveProperty('result');
    const { status, message } = await complete();
    expect([status, message]).toMatchObject([429, { error: { code, data: { reason: 'rate_limited' } } }]);
    expect(requestsOf(upstream.seen, 'completion/complete')).toHaveLength(1);
  });

  test('too many calls of one tool leave the others alone', async () => {
    const { call } = await start({ config: { limits: { perTool: { perSecond: 0.1, burst: 1 } } } });
    expect(await call('a')).toHaveProperty('result');
    expect(await call('a')).toHaveProperty('error');
    expect(await call('b')).toHaveProperty('result');
  });

  test('a tool is one at all endpoints, and not the one of the same name that another connector has', async () => {
    const { upstream, hub, call } = await start({
      config: { limits: { perTool: { perSecond: 0.1, burst: 1 } }, toolsets: { all: { tools: ['*'] } } },
    });
    await addConnector(hub, 'other', upstream.url);
    const at = async (path: string, name: string) => {
      const agent = await openRawAgent({ url: hub.url + path, key: hub.localKey, era: 'modern' });
      const { message } = await agent.request('tools/call', { name, arguments: {} });
      return message?.['result'] !== undefined;
    };
    expect(await call('a')).toHaveProperty('result');
    expect(await at('/connectors/up/mcp', 'a')).toBe(false);
    expect(await at('/toolsets/all/mcp', 'up__a')).toBe(false);
    expect(await at('/connectors/other/mcp', 'a')).toBe(true);
    expect(await at('/mcp', 'other__a')).toBe(false);
  });
});

test('official clients show what a refusal says', async () => {
  const { hub } = await start({ config: { limits: { perAgent: { perSecond: 0.01, burst: 1 } } } });
  const headers = { authorization: `Bearer ${hub.localKey}` };
  const url = new URL(`${hub.url}/mcp`);
  const first = new V1Client({ name: 'c', version: '1' });
  const second = new V2Client({ name: 'c', version: '1' });
  keep(first);
  keep(second);
  await first.connect(new V1Http(url, { requestInit: { headers } }));
  await second.connect(new V2Http(url, { requestInit: { headers } }));
  const call = { name: 'up__a', arguments: {} };
  expect(await first.callTool(call)).toHaveProperty('content');
  const shown = { message: expect.stringMatching(/rate_limited/) as string };
  await expect(first.callTool(call)).rejects.toMatchObject(shown);
  await expect(second.callTool(call)).rejects.toMatchObject(shown);
  expect(await second.listTools()).toHaveProperty('tools');
});

test('a connector takes no more calls at once than it may, and says so to the rest at once', async () => {
  const held: (() => void)[] = [];
  const { agent } = await start({
    connector: { limits: { concurrency: 1, queue: 1 } },
    script: { call: () => new Promise((resolve) => held.push(() => resolve({ content: [] }))) },
  });
  const call = () => agent.request('tools/call', { name: 'up__a', arguments: {} });
  const calls = [call(), call(), call()];
  const { status, headers, message } = await Promise.race(calls);
  expect([status, headers.get('retry-after')]).toEqual([503, '1']);
  expect(message).toMatchObject({
    error: { code: -31_053, message: expect.stringContaining('connector up is busy') as string },
  });
  const release = setInterval(() => held.splice(0).forEach((finish) => finish()), 10);
  const answers = await Promise.all(calls);
  clearInterval(release);
  expect(answers.filter((answer) => answer.message?.['result'] !== undefined)).toHaveLength(2);
});

test.each(['legacy', 'modern'] as const)(
  'B20: a call whose upstream tells of progress may take longer than requestMs, also of a client that wants none: %s',
  async (era) => {
    const { agent } = await start({
      era,
      connector: { timeouts: { requestMs: 1_000, totalMs: 60_000 } },
      script: { call: (_name, _args, request, response) => tellOfProgress(request, response, 2_500) },
    });
    const answer = await agent.request('tools/call', { name: 'up__a', arguments: {} });
    expect(answer).toMatchObject({ message: { result: { content: [] } }, before: [] });
  },
);

/** Has an answer only after a while. */
function tellOfProgress({ rpc }: SeenRequest, response: ServerResponse, forMs: number): undefined {
  const { progressToken } = rpc.params!['_meta'] as { progressToken: number };
  const tell = (message: object) =>
    response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
  const begun = Date.now();
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const timer = setInterval(() => {
    const progress = Date.now() - begun;
    tell({ method: 'notifications/progress', params: { progressToken, progress } });
    if (progress < forMs && !response.destroyed) return;
    clearInterval(timer);
    tell({ id: rpc.id, result: { content: [] } });
    response.end();
  }, 50);
}

test.each([
  [0, 1],
  [1, 2],
  [2, 3],
])(
  'with retries %i a read whose answer is lost is sent %i times, and a call once',
  async (retries, times) => {
    const ref = { type: 'ref/prompt', name: 'up__p' };
    const requests = [
      ['tools/call', { name: 'up__a', arguments: {} }, 1],
      ['prompts/get', { name: 'up__p' }, times],
      ['resources/read', { uri: 'x:y' }, times],
      ['completion/complete', { ref, argument: { name: 'a', value: '' } }, times],
    ] as const;
    const { upstream, agent } = await start({
      connector: { retries, limits: { breakerFailures: 0 } },
      script: {
        resources: [{ uri: 'x:y', name: 'y' }],
        prompts: [{ name: 'p', arguments: [{ name: 'a' }] }],
        capabilities: { completions: {} },
        intercept: ({ rpc }, response) => {
          const isLost = requests.some(([method]) => method === rpc.method);
          if (isLost) response.destroy();
          return isLost;
        },
      },
    });
    for (const [method, params, expected] of requests) {
      await agent.request(method, params);
      expect([method, requestsOf(upstream.seen, method).length]).toEqual([method, expected]);
    }
  },
);

describe('sizes', () => {
  test.each<readonly [string, object, object, RegExp]>([
    [
      'text is cut and marked',
      { content: [{ type: 'text', text: 'x'.repeat(5_000) }] },
      { resultBytes: 1_000 },
      /\[truncated: \d+ bytes left out\]/,
    ],
    [
      'an image is described',
      { content: [{ type: 'image', mimeType: 'image/png', data: 'A'.repeat(4_000) }] },
      { resultBytes: 1_000 },
      /image\/png, 3000 bytes: left out/,
    ],
    [
      'S54: structured content is not cut but refused',
      { content: [], structuredContent: { a: 'x'.repeat(5_000) } },
      { resultBytes: 1_000 },
      /The result has \d+ bytes; 1000 are allowed/,
    ],
    [
      'an answer beyond what is read is refused',
      { content: [{ type: 'text', text: 'x'.repeat(5_000) }] },
      { responseBytes: 2_000 },
      /the answer is too large/,
    ],
  ])('%s', async (_what, result, limits, text) => {
    const { call } = await start({ connector: { limits }, script: { call: () => result } });
    expect(JSON.stringify(await call('a'))).toMatch(text);
  });

  test('a request that is too large is refused before it is read', async () => {
    const { upstream, hub } = await start({ config: { server: { maxBodyBytes: 2_048 } } });
    const answer = await fetch(`${hub.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${hub.localKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'up__a', arguments: { x: 'y'.repeat(4_000) } },
      }),
    });
    expect(answer.status).toBe(413);
    expect(requestsOf(upstream.seen, 'tools/call')).toEqual([]);
  });
});

describe.each(['legacy', 'modern'] as const)('pages, %s', (era) => {
  const names = Array.from({ length: 7 }, (_, index) => `t${index}`);

  test('come whole to who does not ask, and in pages to who does', async () => {
    const { agent } = await start({ era, script: { tools: names.map(tool), pageSize: 2 } });
    const whole = (await agent.request('tools/list')).message?.['result'] as {
      tools: { name: string }[];
      nextCursor?: string;
    };
    expect(whole.tools.map(({ name }) => name)).toEqual(names.map((name) => `up__${name}`));
    expect(whole.nextCursor).toBeUndefined();
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { message } = await agent.request('tools/list', {
        limit: 3,
        ...(cursor !== undefined && { cursor }),
      });
      const page = message?.['result'] as { tools: { name: string }[]; nextCursor?: string };
      seen.push(...page.tools.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(whole.tools.map(({ name }) => name));
    expect((await agent.request('tools/list', { cursor: 'forged' })).message).toMatchObject({
      error: { code: -32_602 },
    });
  });
});

test('whoever asks for what does not exist is written down', async () => {
  const { hub, agent } = await start({});
  await agent.request('tools/call', { name: 'up__nothing' });
  await agent.request('prompts/get', { name: 'up__nothing' });
  await agent.request('resources/read', { uri: 'nothing://here' });
  expect(await eventsOf(hub, 'call.refused')).toMatchObject([
    { method: 'tools/call', error: 'unknown_tool', outcome: 'denied' },
    { method: 'prompts/get', error: 'unknown_prompt', outcome: 'denied' },
    { method: 'resources/read', error: 'unknown_resource', outcome: 'denied' },
  ]);
});
