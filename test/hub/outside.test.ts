import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../src/app/index.js';
import { startUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** What strangers to the code meet first: addresses, headers, and what the hub says of itself. */

let hub: TestHub;
let upstream: ScriptedUpstream;
beforeAll(async () => {
  upstream = await startUpstream({ tools: [{ name: 't', inputSchema: { type: 'object' } }], sessions: true });
  hub = await startTestHub();
  const file = join(hub.folder, 'crosspoint.json');
  writeFileSync(file, JSON.stringify({ connectors: { up: { url: upstream.url } } }));
  const flags = { port: 0, data: join(hub.folder, 'data') };
  await hub.running.reload(loadConfig({ flags, environment: {}, folder: hub.folder, now: Date.now() }));
  await waitForSync(hub, 'up');
});
afterAll(async () => {
  await hub?.close();
  await upstream?.close();
});

const admin = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${hub.url}/api/v1${path}`, {
    ...init,
    headers: { authorization: `Bearer ${hub.adminToken}`, 'content-type': 'application/json' },
  });

/** Names and values as they stand on the wire. `fetch` would join those that come twice. */
function preflight(path: string): Promise<readonly string[]> {
  const headers = { origin: 'http://localhost:5173', 'access-control-request-method': 'POST' };
  return new Promise((resolve, reject) => {
    request(`${hub.url}${path}`, { method: 'OPTIONS', headers }, (answer) => {
      answer.resume();
      resolve(answer.rawHeaders);
    })
      .on('error', reject)
      .end();
  });
}

test.each(['/mcp', '/mcp/tools/list', '/connectors/up/mcp'])(
  'S21: the answer to a preflight names an origin once, or browsers refuse it: %s',
  async (path) => {
    const names = (await preflight(path)).filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
    expect(names.filter((name) => name === 'access-control-allow-origin')).toHaveLength(1);
    expect(new Set(names).size).toBe(names.length);
  },
);

test.each(['POST', 'GET', 'DELETE'])(
  '%s to the endpoint of a connector that is not there: 404',
  async (method) => {
    const answer = await fetch(`${hub.url}/connectors/nobody/mcp`, {
      method,
      redirect: 'manual',
      headers: { authorization: `Bearer ${hub.localKey}` },
    });
    expect([answer.status, await answer.json()]).toEqual([
      404,
      { error: expect.objectContaining({ code: 'not_found' }) },
    ]);
  },
);

test.each(['/connectors/up/mcp', '/connectors/nobody/mcp', '/toolsets/nobody/mcp'])(
  'B1.1: without a key nobody learns whether there is something: %s',
  async (path) => {
    const statuses = ['POST', 'GET', 'DELETE'].map(
      async (method) => (await fetch(`${hub.url}${path}`, { method, redirect: 'manual' })).status,
    );
    expect(await Promise.all(statuses)).toEqual([401, 401, 401]);
  },
);

test('a sync for an agent declares what every sync declares: lists are for everybody', async () => {
  const before = upstream.seen.length;
  const answer = await admin('/connectors/up/sync', { method: 'POST', body: '{"agent":"local"}' });
  expect(await answer.json()).toMatchObject({ tools: 1 });
  const abilities = upstream.seen
    .filter(({ rpc }) => rpc.method === 'initialize')
    .map(({ rpc }) => rpc.params?.['capabilities']);
  expect(new Set(abilities.map((each) => JSON.stringify(each))).size).toBe(1);
  expect(upstream.seen.length).toBeGreaterThan(before);
});

test('the status names the file that is in force, also one that came later', async () => {
  expect(await (await admin('/status')).json()).toMatchObject({
    config: { file: join(hub.folder, 'crosspoint.json') },
  });
});

test('a field that is missing is said to be missing', async () => {
  const answer = await admin('/tools/call', { method: 'POST', body: '{"name":"up__t"}' });
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { error: { message: 'agent: is missing' } },
  ]);
});

test('a moment that cannot be read is answered with what one looks like', async () => {
  expect(await (await admin('/events?since=yesterday')).json()).toMatchObject({
    error: { message: expect.stringContaining('since: must be a date like 2026-11-01') },
  });
});
