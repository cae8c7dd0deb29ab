import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/mcp/jsonrpc/index.js';
import { ProtocolError } from '../../src/mcp/jsonrpc/index.js';
import type { ClientCapabilities } from '../../src/mcp/model/index.js';
import type { McpRequest } from '../../src/mcp/server/index.js';
import { startAskingUpstream } from '../support/asking-upstream.js';
import { eventsOf } from '../support/hub-events.js';
import { openRawAgent } from '../support/raw-agent.js';
import { closeAfterEach } from '../support/resources.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

/** What the hub does not know passes where it can be told to whom. */

const keep = closeAfterEach();
const KEY = 'ada-agent-key-0123456789abcdef';
const eras = ['legacy', 'modern'] as const;
const EXTENSION = { 'vendor.example/notes': { version: 2 } };
const UI = { ui: { resourceUri: 'ui://notes/app.html', visibility: ['app'] } };

async function start(era: 'legacy' | 'modern', policy?: string) {
  const seen: JsonObject[] = [];
  const upstream = keep(
    await startAskingUpstream(era, {
      describe: {
        info: { name: 'notes', version: '1' },
        capabilities: {
          tools: {},
          extensions: { ...EXTENSION, 'io.modelcontextprotocol/tasks': {} },
          experimental: { x: {} },
        },
      },
      handlers: {
        'tools/list': () => ({ tools: [{ name: 'open', inputSchema: { type: 'object' }, _meta: UI }] }),
        'tools/call': () => ({ content: [], _meta: UI }),
        'vendor/notes': ({ params }) => {
          seen.push(params);
          if (params['fail'] === true) throw new ProtocolError(-31_007, 'no such note', { id: 1 });
          return { notes: [{ deep: { er: [1, 'ü', null] } }], _meta: { 'vendor.example/k': 1 } };
        },
      },
    }),
  );
  const hub = keep(
    await startTestHub({
      config: {
        connectors: { up: { url: upstream.url } },
        agents: { ada: { keys: [KEY] } },
        ...(policy && { policies: ['p.cedar'] }),
      },
      ...(policy && { files: { 'p.cedar': policy } }),
    }),
  );
  await waitForSync(hub, 'up');
  const open = (client: 'legacy' | 'modern', path: string) =>
    openRawAgent({ url: hub.url + path, key: policy === undefined ? hub.localKey : KEY, era: client });
  return { hub, seen, open };
}

describe.each(eras.flatMap((client) => eras.map((upstream) => [client, upstream] as const)))(
  'a %s client and a %s upstream',
  (client, era) => {
    test('an unknown method passes at the endpoint of its connector, and is written down', async () => {
      const { hub, seen, open } = await start(era);
      const agent = await open(client, '/connectors/up/mcp');
      const params = { filter: { a: [1, { b: 'ü' }] }, _meta: { 'vendor.example/m': 2 } };
      const { message } = await agent.request('vendor/notes', params);
      expect(message?.['result']).toMatchObject({
        notes: [{ deep: { er: [1, 'ü', null] } }],
        _meta: { 'vendor.example/k': 1 },
      });
      expect(seen).toEqual([params]);
      const facts = { connector: 'up', method: 'vendor/notes', target: 'vendor/notes' };
      expect(await eventsOf(hub, 'call.intended')).toMatchObject([facts]);
      expect(await eventsOf(hub, 'call.finished')).toMatchObject([{ ...facts, outcome: 'ok' }]);

      const failed = await agent.request('vendor/notes', { fail: true });
      expect(failed.message).toMatchObject({ error: { code: -31_007, message: 'no such note' } });
      const unknown = await agent.request('vendor/other');
      expect(unknown.message).toMatchObject({ error: { code: -32_601 } });
      const own = await agent.request('tools/later');
      expect(own.message).toMatchObject({ error: { code: -32_601 } });
      expect(await eventsOf(hub, 'call.intended')).toHaveLength(3);
    });

    test('the aggregate does not know whom it would be for', async () => {
      const { seen, open } = await start(era);
      const { message } = await (await open(client, '/mcp')).request('vendor/notes');
      expect(message).toMatchObject({ error: { code: -32_601 } });
      expect(seen).toEqual([]);
    });

    test('_meta of apps is left alone', async () => {
      const { open } = await start(era);
      const agent = await open(client, '/connectors/up/mcp');
      const tools = await agent.request('tools/list');
      expect(tools.message).toMatchObject({ result: { tools: [{ name: 'open', _meta: UI }] } });
      const called = await agent.request('tools/call', { name: 'open' });
      expect(called.message).toMatchObject({ result: { _meta: UI } });
    });
  },
);

test('policies decide about it as about a destructive tool of that name', async () => {
  const policy = 'permit(principal, action, resource is Tool) when { resource.risk == "read" };';
  const { hub, seen, open } = await start('modern', policy);
  const agent = await open('modern', '/connectors/up/mcp');
  const { message } = await agent.request('vendor/notes');
  expect(message).toHaveProperty('error');
  expect(seen).toEqual([]);
  expect(await eventsOf(hub, 'call.refused')).toMatchObject([{ method: 'vendor/notes', outcome: 'denied' }]);
});

test('extensions of the upstream are told of at its own endpoint; tasks are the hub’s own everywhere', async () => {
  const { open } = await start('modern');
  const capabilitiesAt = async (path: string) => {
    const { message } = await (await open('modern', path)).request('server/discover');
    return (message as unknown as { result: { capabilities: JsonObject } }).result.capabilities;
  };
  expect(await capabilitiesAt('/connectors/up/mcp')).toMatchObject({
    extensions: EXTENSION,
    experimental: { x: {} },
  });
  const tasks = { 'io.modelcontextprotocol/tasks': {} };
  expect(await capabilitiesAt('/connectors/up/mcp')).toMatchObject({ extensions: tasks });
  expect(await capabilitiesAt('/mcp')).toMatchObject({ extensions: tasks });
  expect(Object.keys((await capabilitiesAt('/mcp'))['extensions'] as JsonObject)).toHaveLength(1);
});

describe.each([
  ['that cannot be asked', {}],
  ['that can be asked', { elicitation: { form: {} } }],
] as const)('a client %s', (_name, asks) => {
  test('what it can do beyond the protocol is told at the endpoint of one connector, whatever it wants', async () => {
    const declared: Record<string, ClientCapabilities> = {};
    const answering =
      (result: JsonObject) =>
      ({ method, client }: McpRequest): JsonObject => {
        declared[method] = client.capabilities;
        return result;
      };
    const upstream = keep(
      await startAskingUpstream('modern', {
        handlers: {
          'tools/call': answering({ content: [] }),
          'prompts/get': answering({ messages: [] }),
          'resources/read': answering({ contents: [] }),
        },
      }),
    );
    const hub = keep(await startTestHub({ config: { connectors: { up: { url: upstream.url } } } }));
    await waitForSync(hub, 'up');
    const useAll = async (path: string, capabilities: JsonObject, prefix: string) => {
      const agent = await openRawAgent({
        url: hub.url + path,
        key: hub.localKey,
        era: 'modern',
        capabilities,
      });
      const args = { arguments: { label: 'x' } };
      await agent.request('tools/call', { name: `${prefix}echo`, ...args });
      await agent.request('prompts/get', { name: `${prefix}asking`, ...args });
      await agent.request('resources/read', { uri: 'test://asking' });
      return { ...declared };
    };
    const tasks = { 'io.modelcontextprotocol/tasks': {} };
    const more = { extensions: { ...EXTENSION, ...tasks }, experimental: { x: {} } };
    const told = { ...asks, extensions: EXTENSION, experimental: { x: {} } };
    const everywhere = (one: unknown) => ({ 'tools/call': one, 'prompts/get': one, 'resources/read': one });
    const one = '/connectors/up/mcp';
    expect(await useAll(one, { ...asks, ...more }, '')).toEqual(everywhere(told));
    expect(await useAll(one, { ...asks, extensions: tasks }, '')).toEqual(everywhere(asks));
    expect(await useAll(one, asks, '')).toEqual(everywhere(asks));
    expect(await useAll('/mcp', { ...asks, ...more }, 'up__')).toEqual(everywhere(asks));
  });
});
