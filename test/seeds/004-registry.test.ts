import type { ServerResponse } from 'node:http';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/app/index.js';
import { toConnectorId } from '../../src/kernel/index.js';
import { admin } from '../support/admin.js';
import { connectAgent } from '../support/agent-client.js';
import { QUERY, startCorporate } from '../support/corporate.js';
import { until } from '../support/http/until.js';
import { eventsOf } from '../support/hub-events.js';
import { requestsOf } from '../support/remote-connector.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream, type SeenRequest, type UpstreamScript } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub, type TestHubOptions } from '../support/start-hub.js';
import { peerScript } from '../support/stdio/peers.js';

/** A registry of servers: environment, discovery, prompts written by hand, no dead-lock. */

const keep = closeAfterEach();
const start = (script?: UpstreamScript, more?: Record<string, string>, options?: TestHubOptions) =>
  startCorporate(keep, script, more, options);
const GUIDE =
  '# Database Query Tool - Usage Guide\n\n## Tables\n- employees\n\n```bash\n# list {{all}} of them\n```\n';

const CORPORATE = toConnectorId('corporate');

async function healthOf(hub: TestHub) {
  return hub.running.hub.health.healthOf(await hub.running.hub.connectors.require(CORPORATE));
}

describe('discovery', () => {
  test('one healthy server, one tool', async () => {
    const { hub } = await start();
    await waitForSync(hub, 'corporate');
    const client = keep(await connectAgent(hub));
    const { items } = await client.listTools();
    expect(items).toMatchObject([
      { name: 'corporate__query_database', description: QUERY.description, inputSchema: QUERY.inputSchema },
    ]);
    await until(() => hub.running.hub.health.historyOf(CORPORATE).length > 0, 'the first check');
    expect(await healthOf(hub)).toMatchObject({ state: 'healthy' });
  });

  test('the session is opened in three steps, and kept for calls', async () => {
    const { upstream, hub } = await start({}, { MCP_SERVER_CORPORATE_API_KEY: 'secret123' });
    await waitForSync(hub, 'corporate');
    const client = keep(await connectAgent(hub));
    const payload = { query_payload: { table: 'employees', select: ['id'], limit: 10 } };
    await client.callTool('corporate__query_database', payload);
    await client.callTool('corporate__query_database', payload);
    const calls = requestsOf(upstream.seen, 'tools/call');
    expect(calls.map(({ rpc }) => rpc.params)).toMatchObject([
      { name: 'query_database', arguments: payload },
      { arguments: payload },
    ]);
    expect(new Set(calls.map(({ headers }) => headers['mcp-session-id'])).size).toBe(1);
    expect(new Set(calls.map(({ rpc }) => rpc.id)).size).toBe(2);
    expect(calls[0]?.headers['authorization']).toBe('Bearer secret123');
    const sessions = upstream.methods().filter((method) => method !== 'server/discover' && method !== 'GET');
    expect(sessions.slice(0, 3)).toEqual(['initialize', 'notifications/initialized', 'tools/list']);
  });

  test('D29: notifications/initialized is sent although no session id came back', async () => {
    const { upstream, hub } = await start({ sessions: false });
    await waitForSync(hub, 'corporate');
    expect(requestsOf(upstream.seen, 'notifications/initialized')).toHaveLength(
      requestsOf(upstream.seen, 'initialize').length,
    );
  });

  test('D28: the session is ended when the hub stops', async () => {
    const { upstream, hub } = await start();
    await waitForSync(hub, 'corporate');
    await hub.running.stop();
    expect(upstream.methods()).toContain('DELETE');
  });
});

describe('a client as the seed writes one', () => {
  test('D17, D28: id 0, no Accept header, event streams or JSON', async () => {
    const { hub } = await start();
    await waitForSync(hub, 'corporate');
    const post = async (body: object, session?: string) => {
      const answer = await fetch(`${hub.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${hub.localKey}`,
          'content-type': 'application/json',
          ...(session !== undefined && { 'mcp-session-id': session }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      });
      const text = await answer.text();
      const data = text.includes('data: ')
        ? text
            .split('\n')
            .find((line) => line.startsWith('data: '))
            ?.slice(6)
        : text;
      return {
        answer,
        message:
          data === undefined || data === '' ? undefined : (JSON.parse(data) as Record<string, unknown>),
      };
    };
    const initialize = {
      protocolVersion: '2025-03-26',
      capabilities: {},
      clientInfo: { name: 'supervisor', version: '1.0' },
    };
    const opened = await post({ id: 0, method: 'initialize', params: initialize });
    expect(opened.message).toMatchObject({ id: 0, result: { protocolVersion: '2025-03-26' } });
    const session = opened.answer.headers.get('mcp-session-id') ?? '';
    expect((await post({ method: 'notifications/initialized' }, session)).answer.status).toBe(202);
    expect((await post({ id: 1, method: 'tools/list' }, session)).message).toMatchObject({
      id: 1,
      result: { tools: [{ name: 'corporate__query_database' }] },
    });
    const call = { name: 'corporate__query_database', arguments: { query_payload: {} } };
    expect((await post({ id: 2, method: 'tools/call', params: call }, session)).message).toMatchObject({
      id: 2,
      result: { content: [{ type: 'text' }] },
    });
  });
});

describe('environment', () => {
  test.each([
    ['MCP_ENABLE', 'false', 0],
    ['MCP_SERVER_CORPORATE_ENABLED', 'false', 1],
  ])('%s=%s switches off', async (variable, value, connectors) => {
    const { upstream, hub } = await start({}, { [variable]: value }, { config: {} });
    expect(await hub.running.hub.connectors.list()).toHaveLength(connectors);
    const client = keep(await connectAgent(hub));
    expect((await client.listTools()).items).toEqual([]);
    expect(upstream.seen).toEqual([]);
    if (connectors > 0) expect(await healthOf(hub)).toMatchObject({ state: 'disabled' });
  });

  test('a local server is a program that is started', async () => {
    const environment = {
      MCP_SERVER_LOCAL_TOOLS_TYPE: 'local',
      MCP_SERVER_LOCAL_TOOLS_LOCAL_PATH: peerScript('plain-server.mjs'),
    };
    const hub = keep(await startTestHub({ config: {}, environment }));
    await waitForSync(hub, 'local_tools');
    const client = keep(await connectAgent(hub));
    expect(await client.callTool('local_tools__echo', { a: 1 })).toMatchObject({
      content: [{ text: '{"a":1}' }],
    });
  });

  test("a server's time-out is in force, and the call is taken back", async () => {
    const { upstream, hub } = await start(
      { call: () => new Promise(() => {}) },
      { MCP_SERVER_CORPORATE_TIMEOUT: '0.3' },
    );
    await waitForSync(hub, 'corporate');
    const client = keep(await connectAgent(hub));
    const before = performance.now();
    expect(await client.callTool('corporate__query_database', { query_payload: {} })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('did not answer in time') as string }],
    });
    expect(performance.now() - before).toBeLessThan(2_500);
    await until(() => requestsOf(upstream.seen, 'notifications/cancelled').length > 0, 'the cancellation');
  });

  test('lists are retried as often as MCP_CLIENT_RETRY_ATTEMPTS says, calls never', async () => {
    let refusals = 3;
    const refuse: UpstreamScript['intercept'] = ({ rpc }, response) => {
      if ((rpc.method !== 'tools/list' && rpc.method !== 'tools/call') || refusals-- <= 0) return false;
      response.writeHead(503).end();
      return true;
    };
    const { upstream, hub } = await start({ intercept: refuse });
    await waitForSync(hub, 'corporate');
    expect(requestsOf(upstream.seen, 'tools/list')).toHaveLength(4);
    expect(await eventsOf(hub, 'connector.sync_failed')).toEqual([]);
    refusals = 1;
    const client = keep(await connectAgent(hub));
    expect(await client.callTool('corporate__query_database', { query_payload: {} })).toMatchObject({
      isError: true,
    });
    expect(requestsOf(upstream.seen, 'tools/call')).toHaveLength(1);
  });

  test.each([
    ['MCP_SERVER_CORPORATE_TYPE', 'cloud', /MCP_SERVER_CORPORATE_TYPE must be remote or local/],
    ['MCP_SERVER_CORPORATE_TRANSPORT', 'carrier-pigeon', /connectors\.corporate\.transport/],
    ['MCP_SERVER_CORPORATE_TIMEOUT', 'soon', /MCP_SERVER_CORPORATE_TIMEOUT must be a number of seconds/],
    ['MCP_SERVER_CORPORATE_ENABLED', 'perhaps', /MCP_SERVER_CORPORATE_ENABLED must be true or false/],
    ['MCP_SERVER_CORPORATE_URL', '', /MCP_SERVER_CORPORATE_URL is missing/],
    ['MCP_SERVER_CORPORATE_PROMPTS_FILE', '/nonexistent.md', /cannot be read/],
    ['MCP_CLIENT_RETRY_ATTEMPTS', 'many', /MCP_CLIENT_RETRY_ATTEMPTS must be a whole number/],
    ['MCP_HEALTH_CHECK_INTERVAL', '-1', /MCP_HEALTH_CHECK_INTERVAL must be a number of seconds/],
    ['MCP_ENABLE', 'maybe', /MCP_ENABLE must be true or false/],
  ])('%s=%s stops the start with one clear line', async (variable, value, message) => {
    await expect(start({}, { [variable]: value })).rejects.toThrow(message);
  });
});

describe('prompts written by hand', () => {
  const withGuide = async () => {
    const folder = keep(await startTestHub());
    writeFileSync(join(folder.folder, 'PROMPT.md'), GUIDE);
    return start(
      {},
      {
        MCP_SERVER_CORPORATE_PROMPTS_FILE: join(folder.folder, 'PROMPT.md'),
        MCP_SERVER_CORPORATE_PROMPT_TOOL_ASSOCIATION: 'query_database',
      },
    );
  };

  test.each(['/mcp', '/connectors/corporate/mcp'])(
    'the file is one prompt, offered as ours, at %s',
    async (path) => {
      const { upstream, hub } = await withGuide();
      await waitForSync(hub, 'corporate');
      const client = keep(await connectAgent(hub, { path }));
      const prefix = path === '/mcp' ? 'corporate__' : '';
      expect((await client.listPrompts()).items).toEqual([
        {
          name: `${prefix}PROMPT`,
          _meta: { 'crosspoint/source': 'operator', 'crosspoint/tools': [`${prefix}query_database`] },
        },
      ]);
      expect(await client.getPrompt(`${prefix}PROMPT`)).toMatchObject({
        messages: [{ role: 'user', content: { type: 'text', text: GUIDE.trim() } }],
      });
      expect(upstream.methods().filter((method) => method.startsWith('prompts/'))).toEqual([]);
      expect(await eventsOf(hub, 'call.finished')).toMatchObject([
        { method: 'prompts/get', target: 'PROMPT', outcome: 'ok' },
      ]);
    },
  );

  test('the tool it belongs to says it in its description', async () => {
    const { hub } = await withGuide();
    await waitForSync(hub, 'corporate');
    const client = keep(await connectAgent(hub));
    const [tool] = (await client.listTools()).items;
    expect(tool?.description).toBe(
      `${QUERY.description}\n\n## Usage guide (added by the operator)\n${GUIDE.trim()}`,
    );
  });

  test('prompts of the upstream stay its own', async () => {
    const prompts = [{ name: 'PROMPT', description: 'from upstream' }];
    const { hub } = await start({ prompts });
    await waitForSync(hub, 'corporate');
    const client = keep(await connectAgent(hub));
    expect((await client.listPrompts()).items).toEqual([
      { name: 'corporate__PROMPT', description: 'from upstream' },
    ]);
  });
});

describe('D30: no lock waits for itself', () => {
  test('registering, syncing and reloading at once all come to an end', async () => {
    const upstream = keep(await startUpstream({ tools: [QUERY], intercept: slowLists }));
    const config = { connectors: { first: { url: upstream.url } } };
    const hub = keep(await startTestHub({ config }));
    const add = (id: string) =>
      admin(hub, 'POST', '/connectors', { id, url: upstream.url, allowPrivateNetwork: true });
    const sync = (id: string) => admin(hub, 'POST', `/connectors/${id}/sync`, {});
    const reload = () => {
      const flags = { port: 0, data: join(hub.folder, 'data') };
      return hub.running.reload(loadConfig({ flags, environment: {}, folder: hub.folder, now: Date.now() }));
    };
    const added = await Promise.all([
      sync('first'),
      add('second'),
      sync('first'),
      reload(),
      add('third'),
      sync('first'),
    ]);
    const synced = await Promise.all(['first', 'second', 'third', 'second', 'first', 'third'].map(sync));
    expect(added.length).toBe(6);
    for (const { status, body } of synced) expect([status, body['tools']]).toEqual([200, 1]);
  });

  test('syncs of one connector at the same time are one', async () => {
    const { upstream, hub } = await start();
    await waitForSync(hub, 'corporate');
    upstream.script = { ...upstream.script, intercept: slowLists };
    const before = requestsOf(upstream.seen, 'tools/list').length;
    await Promise.all([1, 2, 3, 4, 5].map(() => admin(hub, 'POST', '/connectors/corporate/sync', {})));
    expect(requestsOf(upstream.seen, 'tools/list').length - before).toBe(1);
  });
});

function slowLists({ rpc }: SeenRequest, response: ServerResponse): boolean {
  if (rpc.method !== 'tools/list') return false;
  const text = JSON.stringify({ jsonrpc: '2.0', id: rpc.id, result: { tools: [QUERY] } });
  setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(text), 500);
  return true;
}
