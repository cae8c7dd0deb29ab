import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/mcp/jsonrpc/index.js';
import { admin } from '../support/admin.js';
import { until } from '../support/http/until.js';
import { openRawAgent } from '../support/raw-agent.js';
import { closeAfterEach } from '../support/resources.js';
import { requestsOf } from '../support/remote-connector.js';
import { startUpstream, type UpstreamScript } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

/** What upstreams see of the hub, request by request. */

const keep = closeAfterEach();
const ERAS = ['legacy', 'modern'] as const;
const KEYS = { ada: 'ada-agent-key-0123456789abcdef', bob: 'bob-agent-key-0123456789abcdef' };
const TOOL = { name: 't', inputSchema: { type: 'object' } };

async function start(script: UpstreamScript, connector: object = {}) {
  const upstream = keep(await startUpstream({ tools: [TOOL], ...script }));
  const hub = await startTestHub({
    config: {
      connectors: { up: { url: upstream.url, ...connector } },
      agents: { ada: { keys: [KEYS.ada] }, bob: { keys: [KEYS.bob] } },
      policies: ['all.cedar'],
    },
    files: { 'all.cedar': 'permit(principal, action, resource);' },
  });
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await hub.close();
    isOpen = false;
  };
  keep({ close });
  const call = async (era: (typeof ERAS)[number] = 'modern', who: keyof typeof KEYS = 'ada') => {
    const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: KEYS[who], era });
    return (await agent.request('tools/call', { name: 'up__t', arguments: {} })).message;
  };
  return { upstream, hub: { ...hub, close }, call };
}

test('C4: what a modern upstream is, is found out anew with each credential', async () => {
  const { upstream, hub, call } = await start(
    { era: 'modern', protect: 'everything', tokens: ['of-ada-0123456789', 'of-bob-0123456789'] },
    { auth: { type: 'bearer' }, credentialMode: 'per_agent' },
  );
  for (const who of ['ada', 'bob'] as const)
    await admin(hub, 'PUT', `/connectors/up/credentials/${who}`, { token: `of-${who}-0123456789` });
  await admin(hub, 'POST', '/connectors/up/sync', { agent: 'ada' });
  for (const who of ['ada', 'bob', 'ada', 'bob'] as const)
    expect(await call('modern', who)).toHaveProperty('result');
  const seen = upstream.seen
    .filter(({ rpc }) => rpc.method === 'server/discover' || rpc.method === 'tools/call')
    .map(({ rpc, headers }) => `${rpc.method} ${String(headers['authorization'])}`);
  for (const who of ['ada', 'bob']) {
    const found = seen.indexOf(`server/discover Bearer of-${who}-0123456789`);
    expect(found).toBeGreaterThanOrEqual(0);
    expect(found).toBeLessThan(seen.indexOf(`tools/call Bearer of-${who}-0123456789`));
  }
});

test('C19: many requests at once are as many messages, also to an upstream that knows batches', async () => {
  const { upstream, hub, call } = await start({ revision: '2025-03-26' });
  await waitForSync(hub, 'up');
  await Promise.all(Array.from({ length: 20 }, (_, index) => call(ERAS[index % 2])));
  expect(requestsOf(upstream.seen, 'tools/call')).toHaveLength(20);
  for (const { text } of upstream.seen) expect(text).toMatch(/^(\{.*\})?$/s);
});

test('C45: icons of upstreams are fetched by nobody, and what a tool claims of itself does not outweigh the operator', async () => {
  const canary = keep(await startUpstream());
  const icons = [{ src: `${canary.url}/icon.svg`, mimeType: 'image/svg+xml' }];
  const annotations = { readOnlyHint: true, destructiveHint: false };
  const { hub } = await start(
    { tools: [{ ...TOOL, icons, annotations, description: '<script>alert(1)</script>' }] },
    { tags: ['risk:destructive'] },
  );
  await waitForSync(hub, 'up');
  const agents = await Promise.all(
    ERAS.map((era) => openRawAgent({ url: `${hub.url}/mcp`, key: KEYS.ada, era })),
  );
  const tools = async () =>
    Promise.all(
      agents.map(async (agent) => {
        const { result } = (await agent.request('tools/list')).message as { result?: JsonObject };
        return result?.['tools'];
      }),
    );
  const shown = [expect.objectContaining({ name: 'up__t', icons }) as object];
  expect(await tools()).toEqual([shown, shown]);
  const text = 'forbid(principal, action, resource is Tool) when { resource.risk == "destructive" };';
  await admin(hub, 'PUT', '/policies/careful', { text });
  expect(await tools()).toEqual([[], []]);
  expect((await admin(hub, 'GET', '/connectors/up/tools')).status).toBe(200);
  expect(canary.seen).toEqual([]);
});

describe('C67: a bearer token', () => {
  const TOKEN = 'bearer-of-the-hub-0123456789';
  const AUTH = { auth: { type: 'bearer', token: TOKEN } };

  test('is in the header of every request, and never in an address', async () => {
    const streams: ServerResponse[] = [];
    const { upstream, hub, call } = await start(
      {
        intercept: ({ httpMethod, headers }, response) => {
          if (httpMethod !== 'GET' || headers['mcp-session-id'] === undefined) return false;
          streams.push(response.writeHead(200, { 'content-type': 'text/event-stream' }));
          response.write(': open\n\n');
          return true;
        },
      },
      AUTH,
    );
    await waitForSync(hub, 'up');
    for (const era of ERAS) expect(await call(era)).toHaveProperty('result');
    await until(() => streams.length > 0, 'the stream of the session');
    await hub.close();
    // Health checks of the hub belong to no session and carry nothing.
    const own = upstream.seen.filter(
      ({ httpMethod, headers }) => httpMethod === 'POST' || headers['mcp-session-id'] !== undefined,
    );
    expect(new Set(own.map(({ httpMethod }) => httpMethod))).toEqual(new Set(['POST', 'GET', 'DELETE']));
    for (const { path } of upstream.seen) expect(path).toBe('/mcp');
    for (const { headers } of own) expect(headers['authorization']).toBe(`Bearer ${TOKEN}`);
  });

  test.each([301, 302, 303, 307, 308])(
    'does not follow a redirect (%i) to another origin',
    async (status) => {
      const other = keep(await startUpstream({ tools: [TOOL] }));
      const { hub, call } = await start(
        {
          intercept: ({ rpc }, response) => {
            if (rpc.method !== 'tools/call') return false;
            response.writeHead(status, { location: other.url }).end();
            return true;
          },
        },
        AUTH,
      );
      await waitForSync(hub, 'up');
      for (const era of ERAS) expect(await call(era)).toMatchObject({ result: { isError: true } });
      expect(other.seen).toEqual([]);
    },
  );
});
