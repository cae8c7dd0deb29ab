import { describe, expect, test } from 'vitest';
import { startAskingUpstream } from '../support/asking-upstream.js';
import { openRawAgent } from '../support/raw-agent.js';
import { closeAfterEach } from '../support/resources.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

const keep = closeAfterEach();
const SCHEMA = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, note: { type: 'string' } },
};

/** Servers of the modern era may want arguments repeated in headers. That is between them and the hub. */
describe.each(['legacy', 'modern'] as const)('a %s client', (era) => {
  test('C12: sends arguments only; the upstream gets them as headers too', async () => {
    const upstream = keep(
      await startAskingUpstream('modern', {
        handlers: {
          'tools/list': () => ({ tools: [{ name: 'query', inputSchema: SCHEMA }] }),
          'tools/call': ({ params }) => ({
            content: [{ type: 'text', text: JSON.stringify(params['arguments']) }],
          }),
        },
        paramHeaders: () => [{ path: ['region'], header: 'mcp-param-region', type: 'string' }],
      }),
    );
    const hub = keep(await startTestHub({ config: { connectors: { up: { url: upstream.url } } } }));
    await waitForSync(hub, 'up');
    const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era });
    const list = await agent.request('tools/list');
    expect(JSON.stringify(list.message)).toContain('up__query');
    expect(JSON.stringify(list.message)).not.toContain('x-mcp-header');
    const args = { region: 'Zürich', note: 'n' };
    const { message } = await agent.request('tools/call', { name: 'up__query', arguments: args });
    expect(message).toMatchObject({ result: { content: [{ text: JSON.stringify(args) }] } });
    const encoded = `=?base64?${Buffer.from('Zürich').toString('base64')}?=`;
    expect(upstream.headers.at(-1)).toMatchObject({ 'mcp-name': 'query', 'mcp-param-region': encoded });
    expect(upstream.headers.at(-1)).not.toHaveProperty('mcp-param-note');
    // With the first request: whoever routes by these headers does not refuse one without them.
    const calls = upstream.headers.filter((headers) => headers['mcp-method'] === 'tools/call');
    expect(calls).toHaveLength(1);
  });
});
