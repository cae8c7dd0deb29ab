import { mkdtempSync, rmSync, cpSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { recoverUnfinishedCalls } from '../../src/app/recover.js';
import { verifyChain } from '../../src/governance/index.js';
import { startAskingUpstream, type AskingUpstream } from '../support/asking-upstream.js';
import { startBalancer } from '../support/balancer.js';
import { eventsOf } from '../support/hub-events.js';
import { startHubProcess } from '../support/hub-process.js';
import { createSharedPlace, useSharedServers, type SharedPlace } from '../support/replica-set.js';
import { closeAfterEach } from '../support/resources.js';
import { RovingClient } from '../support/roving-client.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** Replicas that come and go, and servers between them that do. */

const SOON = { timeout: 15_000 };
const servers = useSharedServers();
const keep = closeAfterEach();
let place: SharedPlace;
let upstream: AskingUpstream;
let config: object;
const hubs: TestHub[] = [];

beforeAll(async () => {
  upstream = await startAskingUpstream('legacy');
  place = await createSharedPlace(servers());
  config = {
    ...place.config,
    connectors: { remote: { url: upstream.url }, limited: { url: upstream.url } },
    limits: { perTool: { perSecond: 50, burst: 100 } },
  };
  for (let index = 0; index < 3; index++) hubs.push(await startTestHub({ folder: place.folder, config }));
  for (const hub of hubs) for (const id of ['remote', 'limited']) await waitForSync(hub, id);
}, 120_000);

afterAll(async () => {
  for (const hub of hubs) await hub.close();
  await upstream?.close();
  await place?.close();
}, 60_000);

function roving(urls: readonly string[] = hubs.map(({ url }) => url)): RovingClient {
  return keep(new RovingClient(urls, hubs[0]!.localKey));
}

function echo(label: string) {
  return { name: 'remote__echo', arguments: { label } };
}

test('three replicas that start together sync each connector once', async () => {
  const synced = await eventsOf(hubs[0]!, 'connector.synced');
  expect(synced.map(({ connector }) => connector).sort()).toEqual(['limited', 'remote']);
});

test('a rate limit is one for all replicas', async () => {
  const client = await roving().initialize(0, 1);
  const begun = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, index) =>
      client.request(index, 'tools/call', { name: 'limited__echo', arguments: { label: 'limited' } }),
    ),
  );
  const seconds = (performance.now() - begun) / 1000;
  const made = answers.filter(
    ({ message }) => message.result?.isError !== true && message.error === undefined,
  ).length;
  // A hundred at once and fifty a second; each replica may sit on a lease of ten.
  expect(made).toBeGreaterThanOrEqual(70);
  expect(made).toBeLessThanOrEqual(101 + seconds * 50);
  expect(upstream.ledger.filter((label) => label === 'limited')).toHaveLength(made);
});

test('a session outlives a restart of Redis', async () => {
  const client = await roving().initialize(0, 1);
  await servers().redis.kill();
  // A replica that knows the session goes on with it.
  expect((await client.request(1, 'tools/call', echo('without'))).message.result.content).toBeDefined();
  await vi.waitFor(async () => expect((await client.request(2, 'ping')).status).toBe(503), SOON);
  await servers().redis.start();
  await vi.waitFor(async () => {
    for (const hub of hubs) expect((await fetch(`${hub.url}/ready`)).status).toBe(200);
  }, SOON);
  // The new server knows nothing: the replica that remembers gives it back.
  await vi.waitFor(async () => expect((await client.request(1, 'ping')).status).toBe(200), SOON);
  await vi.waitFor(async () => expect((await client.request(2, 'ping')).status).toBe(200), SOON);
  // Whoever asked it in vain leaves it alone for a second; then each takes new sessions again.
  await vi.waitFor(() => Promise.all(hubs.map((_, at) => roving().initialize(at, at))), SOON);
}, 60_000);

test('F24: a Redis that was emptied is given back sessions before one is said to be unknown', async () => {
  const clients = await Promise.all([0, 1].map((at) => roving().initialize(at, at)));
  await servers().redis.command('FLUSHALL');
  // Neither replica knows the session of the other.
  expect((await clients[0]!.request(1, 'ping')).status).toBe(200);
  expect((await clients[1]!.request(0, 'tools/call', echo('kept'))).message.result.content).toBeDefined();
  expect((await clients[1]!.request(2, 'ping')).status).toBe(200);
  const stranger = roving();
  stranger.session = 'x'.repeat(43);
  await servers().redis.command('FLUSHALL');
  expect((await stranger.request(2, 'ping')).status).toBe(404);
});

test('while Postgres is away no call is made, and afterwards the session goes on', async () => {
  const client = await roving().initialize(0, 1);
  const before = upstream.ledger.length;
  await servers().postgres.restart();
  await vi.waitFor(async () => {
    const { message } = await client.request(2, 'tools/call', echo('after'));
    expect(message.result?.isError).not.toBe(true);
    expect(message.error).toBeUndefined();
  }, SOON);
  const made = upstream.ledger.slice(before).length;
  const { hub } = hubs[1]!.running;
  await hub.events.flush();
  const intended = (await eventsOf(hubs[0]!, 'call.intended')).filter(({ target }) => target === 'echo');
  expect(made).toBeGreaterThan(0);
  // Whatever was made was written down before.
  expect(intended.length).toBeGreaterThanOrEqual(upstream.ledger.filter((label) => label === 'after').length);
  expect(await verifyChain(hub.storage.events)).toMatchObject({ ok: true });
}, 60_000);

test('F27: a rolling restart drops no call', async () => {
  const balancer = keep(await startBalancer(hubs.map(({ url }) => url)));
  const client = await roving([balancer.url]).initialize(0, 0);
  const failures: unknown[] = [];
  const made: string[] = [];
  const ended = new AbortController();
  const load = Array.from({ length: 4 }, async (_, worker) => {
    for (let count = 0; !ended.signal.aborted; count++) {
      const label = `rolling-${worker}-${count}`;
      const answer = await client.request(0, 'tools/call', echo(label)).catch((error: unknown) => error);
      if (JSON.stringify(answer).includes(label)) made.push(label);
      else failures.push(answer);
      await sleep(100);
    }
  });
  for (const [index, old] of hubs.entries()) {
    const fresh = await startTestHub({ folder: place.folder, config });
    balancer.targets = [...balancer.targets.filter((url) => url !== old.url), fresh.url];
    await old.close();
    hubs[index] = fresh;
    const before = made.length;
    await vi.waitFor(() => expect(made.length).toBeGreaterThan(before + 4), SOON);
  }
  ended.abort();
  await Promise.all(load);
  expect(failures).toEqual([]);
  expect(made.length).toBeGreaterThan(10);
  expect(upstream.ledger.filter((label) => label.startsWith('rolling-')).sort()).toEqual(made.sort());
}, 60_000);

test('F26: of a replica that is killed only its running calls are lost, and another one says so', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-killed-'));
  cpSync(join(place.folder, 'data'), join(folder, 'data'), { recursive: true });
  const victim = await startHubProcess(folder, config);
  try {
    const client = await roving([victim.url, hubs[0]!.url, hubs[1]!.url]).initialize(0, 1);
    const params = { name: 'remote__wait', arguments: { label: 'killed' } };
    const { id } = (await (await client.begin(0, 'tools/call', params, 'mine')).next()) ?? {};
    expect(upstream.running.has('killed')).toBe(true);
    await victim.kill();
    // Its client comes back for the answer, wherever, and learns that nobody knows it.
    const answers = await Promise.all([1, 2].map(async (at) => (await client.get(at, id)).rest()));
    for (const messages of answers)
      expect(messages.map((message) => [message.id, message.error?.data?.reason])).toEqual([
        ['mine', 'outcome_unknown'],
      ]);
    expect((await client.request(1, 'tools/call', echo('survivor'))).message.result.content).toBeDefined();
    expect((await client.request(2, 'ping')).status).toBe(200);
    const { hub } = hubs[0]!.running;
    const intended = (await eventsOf(hubs[0]!, 'call.intended')).findLast(({ target }) => target === 'wait');
    // Its last sign of life is too long ago.
    await hub.storage.instances.leave(intended?.instance ?? '');
    expect(await recoverUnfinishedCalls(hub)).toBe(1);
    const ended = await eventsOf(hubs[1]!, 'call.finished');
    expect(ended.filter(({ callId }) => callId === intended?.callId).map(({ outcome }) => outcome)).toEqual([
      'outcome_unknown',
    ]);
    expect(await verifyChain(hub.storage.events)).toMatchObject({ ok: true });
  } finally {
    await victim.close();
    rmSync(folder, { recursive: true, force: true });
  }
}, 90_000);
