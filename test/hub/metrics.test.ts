import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRepositoryFile } from '../../scripts/repository.js';
import { rowsOf } from '../document-tables.js';
import { openRawAgent, type RawAgent } from '../support/raw-agent.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** What those who run the hub can read of it, and who may. */

let hub: TestHub;
let upstream: Awaited<ReturnType<typeof startUpstream>>;
let agent: RawAgent;

beforeAll(async () => {
  const tools = ['a', 'b'].map((name) => ({ name, inputSchema: { type: 'object' } }));
  upstream = await startUpstream({ tools });
  hub = await startTestHub({ config: { connectors: { up: { url: upstream.url } } } });
  await waitForSync(hub, 'up');
  agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'legacy' });
});
afterAll(async () => {
  await hub.close();
  await upstream.close();
});

const admin = () => ({ authorization: `Bearer ${hub.adminToken}` });
const metrics = async () => (await fetch(`${hub.url}/metrics`, { headers: admin() })).text();
const valueOf = (text: string, series: string): number =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length + 1) ?? Number.NaN,
  );

describe('/metrics', () => {
  test('B1.1: is read with an admin token, and with nothing else', async () => {
    const refused = [
      {},
      { authorization: `Bearer ${hub.localKey}` },
      { authorization: 'Bearer nobody-knows' },
    ];
    for (const headers of refused as Record<string, string>[])
      expect((await fetch(`${hub.url}/metrics`, { headers })).status).toBe(401);
    const answer = await fetch(`${hub.url}/metrics`, { headers: admin() });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect((await fetch(`${hub.url}/metrics`, { method: 'POST', headers: admin() })).status).toBe(405);
  });

  test('counts calls by connector and outcome, refusals by code, and sessions', async () => {
    const before = await metrics();
    await agent.request('tools/call', { name: 'up__a', arguments: {} });
    await agent.request('tools/call', { name: 'up__a', arguments: {} });
    await agent.request('tools/call', { name: 'up__nothing', arguments: {} });
    await hub.running.hub.events.flush();
    const after = await metrics();
    const grown = (series: string) => valueOf(after, series) - (valueOf(before, series) || 0);
    expect(grown('crosspoint_calls_total{connector="up",outcome="ok"}')).toBe(2);
    expect(grown('crosspoint_calls_refused_total{error="unknown_tool"}')).toBe(1);
    const operation = 'mcp_server_operation_duration_seconds';
    const ofCalls = '{mcp_method_name="tools/call",error_type=""';
    expect(grown(`${operation}_count${ofCalls}}`)).toBe(2);
    expect(valueOf(after, `${operation}_bucket${ofCalls},le="+Inf"}`)).toBe(2);
    expect(valueOf(after, 'crosspoint_sessions')).toBe(1);
    expect(valueOf(after, 'crosspoint_tools')).toBeGreaterThanOrEqual(2);
    expect(valueOf(after, 'crosspoint_event_log_available')).toBe(1);
    expect(valueOf(after, 'process_resident_memory_bytes')).toBeGreaterThan(1e6);
  });

  test('B7.7: labels hold no names of tools, agents, sessions or calls', async () => {
    const text = await metrics();
    expect(text).not.toMatch(/up__a|local|tool="/);
    for (const line of text.split('\n').filter((each) => each !== '' && !each.startsWith('#')))
      expect(line).toMatch(/^[a-z_]+(?:\{[a-z_]+="[^"\n]*"(?:,[a-z_]+="[^"\n]*")*\})? -?[\d.e+-]+$/);
  });
});

test('the document and the dashboard speak of the metrics that there are', async () => {
  const text = await metrics();
  const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name).toSorted();
  const told = rowsOf(readRepositoryFile('docs/observability.md'), 'metric').map(({ metric = '' }) => metric);
  expect(told.toSorted()).toEqual(names);
  const dashboard = readRepositoryFile('deploy/grafana/crosspoint.json');
  const shown = dashboard.match(/\b(?:crosspoint|mcp|process|nodejs)_[a-z_]+(?=\{)/g) ?? [];
  expect(shown.length).toBeGreaterThan(15);
  expect(shown.filter((name) => !names.includes(name.replace(/_bucket$/, '')))).toEqual([]);
});

describe('/ready', () => {
  test('says why only to operators', async () => {
    const plain = await fetch(`${hub.url}/ready`);
    expect([plain.status, await plain.json()]).toEqual([200, { status: 'ready' }]);
    const strange = await fetch(`${hub.url}/ready`, { headers: { authorization: `Bearer ${hub.localKey}` } });
    expect([strange.status, await strange.json()]).toEqual([200, { status: 'ready' }]);
    const told = await fetch(`${hub.url}/ready`, { headers: admin() });
    expect(await told.json()).toEqual({
      status: 'ready',
      checks: [
        { name: 'hub', ok: true },
        { name: 'event_log', ok: true },
        { name: 'store', ok: true },
        { name: 'coordination', ok: true },
        { name: 'load', ok: true },
      ],
    });
  });
});

test('the numbers can be open to everybody, or off', async () => {
  for (const [access, status] of [
    ['open', 200],
    ['off', 404],
  ] as const) {
    const other = await startTestHub({ config: { telemetry: { metrics: access } } });
    expect((await fetch(`${other.url}/metrics`)).status).toBe(status);
    await other.close();
  }
});
