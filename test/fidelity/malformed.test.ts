import { describe, expect, test } from 'vitest';
import {
  CompleteResultSchema,
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  ListToolsResultSchema,
  ServerResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
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

describe.each(['legacy', 'modern'] as const)('suggestions for a %s client', (era) => {
  const params = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } };
  const suggesting = (result: object): UpstreamScript => ({
    capabilities: { completions: {} },
    results: { 'completion/complete': () => result },
  });

  test('beyond the hundred that an answer may have are cut off', async () => {
    const values = Array.from({ length: 120 }, (_, index) => `v${index}`);
    const agent = await start(suggesting({ completion: { values, total: 500, own: 1 } }), era, {});
    const { message } = await agent.request('completion/complete', params);
    expect(message?.['result']).toMatchObject({
      completion: { values: values.slice(0, 100), total: 500, hasMore: true, own: 1 },
    });
    expect(CompleteResultSchema.safeParse(message?.['result']).success).toBe(true);
  });

  test.each([{}, { completion: {} }, { completion: { values: [1] } }])(
    'that are %j are an error of the upstream',
    async (result) => {
      const agent = await start(suggesting(result), era, {});
      const { message } = await agent.request('completion/complete', params);
      expect(message).toMatchObject({ error: { code: -32_603, data: { reason: 'invalid_response' } } });
    },
  );
});

describe.each(['legacy', 'modern'] as const)(
  'offers that clients would refuse a whole list for, %s',
  (era) => {
    const icons = [{ sr: 1 }, { src: 'https://x.example/i.png', sizes: '48x48' }];
    const wrong = {
      title: 5,
      description: {},
      icons,
      annotations: { audience: ['robot'], title: 3 },
      _meta: 'x',
    };

    test('C45: are offered without what is wrong with them, beside all others', async () => {
      const agent = await start(
        {
          tools: [
            { name: 'good', inputSchema: { type: 'object' } },
            { name: 'bad', ...wrong, inputSchema: { properties: { any: true } }, execution: 'x' },
          ],
          prompts: [{ name: 'bad', ...wrong, arguments: [{ name: 'a', required: 'yes' }] }],
          resources: [{ uri: 'x:1', name: 'bad', ...wrong, size: '5' }],
          templates: [{ uriTemplate: 'x:{y}', name: 'bad', ...wrong, mimeType: 5 }],
        },
        era,
        {},
      );
      const rows = [
        ['tools/list', ListToolsResultSchema, 'tools', 2],
        ['prompts/list', ListPromptsResultSchema, 'prompts', 1],
        ['resources/list', ListResourcesResultSchema, 'resources', 1],
        ['resources/templates/list', ListResourceTemplatesResultSchema, 'resourceTemplates', 1],
      ] as const;
      for (const [method, schema, member, count] of rows) {
        const { message } = await agent.request(method, {});
        const result = message?.['result'] as Record<string, unknown>;
        expect(result[member]).toHaveLength(count);
        // Since 2026-07-28 the schema of a property may be a boolean.
        if (era === 'legacy' || method !== 'tools/list')
          expect(schema.safeParse(result).error).toBeUndefined();
      }
    });
  },
);
