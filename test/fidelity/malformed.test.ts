import { describe, expect, test } from 'vitest';
import { ServerResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { openRawAgent } from '../support/raw-agent.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream, type UpstreamScript } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

/** Results that are none: whoever calls gets something the protocol knows, whatever the upstream sent. */

const keep = closeAfterEach();
/** Who can be asked something is served by rounds, others by one call. */
const CLIENTS = [
  ['legacy', 'nothing', {}],
  ['modern', 'nothing', {}],
  ['legacy', 'forms', { elicitation: {} }],
  ['modern', 'forms', { elicitation: {} }],
] as const;

async function start(
  script: UpstreamScript,
  era: 'legacy' | 'modern',
  capabilities: (typeof CLIENTS)[number][2],
) {
  const upstream = keep(
    await startUpstream({
      tools: [{ name: 't', inputSchema: { type: 'object' } }],
      prompts: [{ name: 'p' }],
      revision: '2025-11-25',
      ...script,
    }),
  );
  const hub = keep(await startTestHub({ config: { connectors: { up: { url: upstream.url } } } }));
  await waitForSync(hub, 'up');
  return openRawAgent({ url: `${hub.url}/connectors/up/mcp`, key: hub.localKey, era, capabilities });
}

describe.each(CLIENTS)('%s client that can be asked %s', (era, _asked, capabilities) => {
  test.each([
    { content: [5] },
    { content: [{ text: 'of no type' }] },
    { content: 'text' },
    { content: [], isError: 'yes' },
  ])('a tool that answers %j has failed, and may have done something', async (result) => {
    const agent = await start({ call: () => result }, era, capabilities);
    const { message } = await agent.request('tools/call', { name: 't' });
    expect(message).toMatchObject({
      result: { isError: true, content: [{ type: 'text', text: expect.stringContaining('may have been') }] },
    });
  });

  test('null for what a tool leaves out is left out', async () => {
    const agent = await start({ call: () => ({ content: [], isError: null }) }, era, capabilities);
    const { message } = await agent.request('tools/call', { name: 't' });
    expect(message?.['result']).toMatchObject({ content: [] });
    expect(message?.['result']).not.toHaveProperty('isError');
    expect(ServerResultSchema.safeParse(message?.['result']).success).toBe(true);
  });
});
