import { expect, test } from 'vitest';
import { openRawAgent } from '../support/raw-agent.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream, type UpstreamScript } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

/** Servers of which only a part works. */

const keep = closeAfterEach();
const TOOLS = [{ name: 't', inputSchema: { type: 'object' } }];

/** Answers other lists than that of tools with this. */
const others = (answer: object): UpstreamScript => ({
  tools: TOOLS,
  capabilities: { prompts: {}, resources: {} },
  intercept: ({ rpc: { id, method = '' } }, response) => {
    if (!/^(?:prompts|resources)\//.test(method)) return false;
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
    return true;
  },
});

test.each([
  { error: { code: -32_603, message: 'not today' } },
  { error: { code: -32_000, message: 'no such thing' } },
  { result: {} },
  { result: { prompts: [], resources: [], resourceTemplates: [], nextCursor: 'again' } },
])('C41: tools are offered although the other lists are answered with %j', async (answer) => {
  const upstream = keep(await startUpstream(others(answer)));
  const hub = keep(await startTestHub({ config: { connectors: { up: { url: upstream.url } } } }));
  await waitForSync(hub, 'up');
  const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'modern' });
  expect((await agent.request('tools/list', {})).message).toMatchObject({
    result: { tools: [{ name: 'up__t' }] },
  });
  const { rejected = [] } = hub.running.hub.catalog.snapshotOf('up' as never) ?? {};
  expect(rejected.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'prompt prompts/list',
    'resource resources/list',
    'template resources/templates/list',
  ]);
});

test('what was in a list stays while the list is refused', async () => {
  const script: UpstreamScript = { tools: TOOLS, prompts: [{ name: 'p' }] };
  const upstream = keep(await startUpstream(script));
  const hub = keep(await startTestHub({ config: { connectors: { up: { url: upstream.url } } } }));
  await waitForSync(hub, 'up');
  upstream.script = others({ error: { code: -32_603, message: 'not today' } });
  const response = await fetch(`${hub.url}/api/v1/connectors/up/sync`, {
    method: 'POST',
    headers: { authorization: `Bearer ${hub.adminToken}` },
  });
  expect(response.status).toBe(502);
  const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'modern' });
  const { message } = await agent.request('prompts/list', {});
  expect(message).toMatchObject({ result: { prompts: [{ name: 'up__p' }] } });
});
