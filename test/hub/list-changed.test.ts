import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { admin } from '../support/admin.js';
import { connectAgent } from '../support/agent-client.js';
import { until } from '../support/http/until.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream, type UpstreamScript } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';

/** An upstream says that its list changed: the hub looks, and tells those whom it concerns. */

const keep = closeAfterEach();
const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
const CHANGED = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })}\n\n`;

async function start(era: 'legacy' | 'modern') {
  const streams: ServerResponse[] = [];
  const script: UpstreamScript = {
    tools: [tool('first')],
    capabilities: { tools: { listChanged: true } },
    intercept: ({ httpMethod, headers }, response) => {
      // A stream of ours belongs to a session; a health check does not.
      if (httpMethod !== 'GET' || headers['mcp-session-id'] === undefined) return false;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
      streams.push(response);
      return true;
    },
  };
  const upstream = keep(await startUpstream(script));
  const hub = keep(await startTestHub({ config: { connectors: { up: { url: upstream.url } } } }));
  await waitForSync(hub, 'up');
  const client = keep(await connectAgent(hub, { era }));
  const heard: string[] = [];
  await client.subscribe({ toolsListChanged: true }, ({ method }) => heard.push(method));
  await until(() => streams.length > 0, 'the stream from the upstream');
  const lists = () => upstream.methods().filter((method) => method === 'tools/list').length;
  return { upstream, script, client, heard, lists, tell: () => streams[0]?.write(CHANGED) };
}

describe.each(['legacy', 'modern'] as const)('a %s client', (era) => {
  test('B22: hears of it, once, however often the upstream says it', async () => {
    const { upstream, script, client, heard, tell } = await start(era);
    upstream.script = { ...script, tools: [tool('first'), tool('second')] };
    for (let i = 0; i < 5; i++) tell();
    await until(() => heard.length > 0, 'the change');
    expect((await client.listTools()).items.map(({ name }) => name)).toEqual(['up__first', 'up__second']);
    expect(heard).toEqual(['notifications/tools/list_changed']);
  });

  test('B22: hears nothing when the list is the same', async () => {
    const { upstream, script, heard, lists, tell } = await start(era);
    const before = lists();
    tell();
    await until(() => lists() > before, 'the look at the list');
    upstream.script = { ...script, tools: [tool('other')] };
    tell();
    await until(() => heard.length > 0, 'the real change');
    expect(heard).toHaveLength(1);
  });
});

test('an upstream that says so without end is looked at ever less often', async () => {
  const { upstream, script, lists, tell } = await start('modern');
  const before = lists();
  const looks: number[] = [];
  await until(
    () => {
      upstream.script = { ...script, tools: [tool(`number-${lists()}`)] };
      tell();
      if (lists() - before > looks.length) looks.push(performance.now());
      return looks.length === 13;
    },
    'thirteen looks',
    20_000,
  );
  expect((looks[12] ?? 0) - (looks[11] ?? 0)).toBeGreaterThan(900);
}, 30_000);

test('after a credential was replaced, changes are heard with the new one, and the old one is not shown again', async () => {
  const streams = new Map<string, ServerResponse>();
  let accepted = 'Bearer the-first-token';
  const shown: string[] = [];
  const upstream = keep(
    await startUpstream({
      tools: [tool('first')],
      capabilities: { tools: { listChanged: true } },
      intercept: ({ httpMethod, headers }, response) => {
        const { authorization = '' } = headers;
        if (authorization !== '') shown.push(String(authorization));
        if (authorization !== accepted) response.writeHead(401).end();
        else if (httpMethod === 'GET' && headers['mcp-session-id'] !== undefined) {
          response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
          streams.set(accepted, response);
        } else return false;
        return true;
      },
    }),
  );
  const auth = { type: 'bearer', token: 'the-first-token' };
  const hub = keep(await startTestHub({ config: { connectors: { up: { url: upstream.url, auth } } } }));
  await until(() => streams.has(accepted), 'a stream with the first token');
  streams.get(accepted)?.destroy();
  accepted = 'Bearer the-second-token';
  const token = 'the-second-token';
  expect((await admin(hub, 'PUT', '/connectors/up/credentials/shared', { token })).status).toBeLessThan(300);
  expect((await admin(hub, 'POST', '/connectors/up/sync', {})).status).toBe(200);
  await until(() => streams.has(accepted), 'a stream with the second token');
  const lists = () => upstream.methods().filter((method) => method === 'tools/list').length;
  const before = lists();
  shown.length = 0;
  streams.get(accepted)?.write(CHANGED);
  await until(() => lists() > before, 'the look at the list');
  expect(hub.running.hub.upstreams.stateOf('up' as never).conversations).toBe(1);
  expect(new Set(shown)).toEqual(new Set([accepted]));
});
