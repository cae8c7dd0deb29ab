import { expect, test, vi } from 'vitest';
import { recoverUnfinishedCalls } from '../../src/app/recover.js';
import { verifyChain } from '../../src/governance/index.js';
import { silentLogger, toConnectorId, type Logger } from '../../src/kernel/index.js';
import { admin } from '../support/admin.js';
import { connectAgent } from '../support/agent-client.js';
import { eventsOf, recordsOf } from '../support/hub-events.js';
import { createSharedPlace, useSharedServers } from '../support/replica-set.js';
import { closeAfterEach } from '../support/resources.js';
import { startUpstream, type UpstreamScript } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

/** Several hubs on one Postgres store, which hear of each other's changes through Redis. */

const keep = closeAfterEach();
const servers = useSharedServers();
const SOON = { timeout: 10_000 };
const TOOLS = [{ name: 'echo', inputSchema: { type: 'object' } }];

async function startReplicas(count: number, config: object = {}): Promise<readonly TestHub[]> {
  const place = keep(await createSharedPlace(servers()));
  const hubs: TestHub[] = [];
  for (let index = 0; index < count; index++)
    hubs.push(keep(await startTestHub({ folder: place.folder, config: { ...place.config, ...config } })));
  return hubs;
}

async function startWithUpstream(count: number, script: UpstreamScript = {}) {
  const upstream = keep(await startUpstream({ tools: TOOLS, ...script }));
  const hubs = await startReplicas(count, { connectors: { remote: { url: upstream.url } } });
  for (const hub of hubs) await waitForSync(hub, 'remote');
  return { upstream, hubs };
}

/** The status with which the MCP endpoint of a hub meets a key. */
async function statusOf(hub: TestHub, key: string): Promise<number> {
  const answer = await fetch(`${hub.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  await answer.text();
  return answer.status;
}

test('a key that is revoked at one replica is refused by all, at once', async () => {
  const hubs = await startReplicas(3);
  await admin(hubs[0]!, 'POST', '/agents', { id: 'anna', name: 'Anna' });
  const { body } = await admin(hubs[0]!, 'POST', '/agents/anna/keys', {});
  const { key, id } = body as { key: string; id: string };
  for (const hub of hubs) expect(await statusOf(hub, key)).not.toBe(401);
  expect((await admin(hubs[1]!, 'DELETE', `/agents/anna/keys/${id}`)).status).toBeLessThan(300);
  for (const hub of hubs) expect(await statusOf(hub, key)).toBe(401);
});

test('B4.5: wrong admin tokens of one address count together, whichever replicas they were shown to', async () => {
  const hubs = await startReplicas(2);
  const statuses = (adminToken?: string) =>
    Promise.all(
      hubs.map(
        async (hub) => (await admin({ ...hub, ...(adminToken && { adminToken }) }, 'GET', '/status')).status,
      ),
    );
  expect(await statuses()).toEqual([200, 200]);
  for (let guess = 0; guess < 5; guess++) expect(await statuses(`wrong-${guess}`)).toEqual([401, 401]);
  await expect.poll(() => statuses(), SOON).toEqual([429, 429]);
  await hubs[1]!.running.hub.events.flush();
  expect(await eventsOf(hubs[0]!, 'auth.refused')).toHaveLength(10);
});

test('a policy that is changed at one replica counts at all', async () => {
  const { hubs } = await startWithUpstream(2);
  const client = keep(await connectAgent(hubs[1]!));
  expect((await client.callTool('remote__echo', {})).isError).not.toBe(true);
  const forbid = 'forbid (principal, action, resource);';
  const saved = await admin(hubs[0]!, 'PUT', '/policies/no-calls', { text: forbid });
  expect(saved.status, JSON.stringify(saved.body)).toBeLessThan(300);
  await vi.waitFor(async () => {
    const refused = await client.callTool('remote__echo', {}).then(
      ({ isError }) => isError === true,
      () => true,
    );
    expect(refused).toBe(true);
  }, SOON);
  await admin(hubs[1]!, 'DELETE', '/policies/no-calls');
  const raced = hubs.flatMap((hub) =>
    ['a', 'b'].map((who) =>
      admin(hub, 'PUT', '/policies/raced', {
        text: `permit (principal == Agent::"${who}", action, resource);`,
      }),
    ),
  );
  // Nobody named a version, so whoever is last wins, and nobody is refused.
  expect((await Promise.all(raced)).map(({ status }) => status)).toSatisfy((all: number[]) =>
    all.every((status) => status < 300),
  );
  const other = keep(await connectAgent(hubs[0]!));
  await vi.waitFor(async () => {
    expect((await other.callTool('remote__echo', {})).isError).not.toBe(true);
  }, SOON);
}, 120_000);

test('a change is answered when it counts at all replicas', async () => {
  const { hubs } = await startWithUpstream(2);
  const [one, two] = hubs;
  const client = keep(await connectAgent(two!));
  const { policies } = two!.running.hub.storage;
  const list = policies.list.bind(policies);
  let open: (() => void) | undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  let reads = 0;
  vi.spyOn(policies, 'list').mockImplementationOnce(async () => {
    reads++;
    await gate;
    return list();
  });
  let answered = false;
  const saving = admin(one!, 'PUT', '/policies/no-calls', { text: 'forbid (principal, action, resource);' });
  void saving.then(() => (answered = true));
  await vi.waitFor(() => expect(reads).toBe(1), SOON);
  expect(answered).toBe(false);
  open?.();
  expect((await saving).status).toBe(201);
  await expect(client.callTool('remote__echo', {})).rejects.toMatchObject({ code: -32602 });
});

test('a connector that is added, changed or removed at one replica is so at all', async () => {
  const upstream = keep(await startUpstream({ tools: TOOLS }));
  const [one, two] = await startReplicas(2);
  const id = toConnectorId('later');
  const endpoint = { id: 'later', name: 'Later', url: upstream.url, allowPrivateNetwork: true };
  const added = await admin(one!, 'POST', '/connectors', endpoint);
  expect(added.status, JSON.stringify(added.body)).toBeLessThan(300);
  const catalog = two!.running.hub.catalog;
  await vi.waitFor(() => expect(catalog.snapshotOf(id)?.tools).toHaveLength(1), SOON);
  await admin(one!, 'PATCH', '/connectors/later', { enabled: false });
  await vi.waitFor(
    () => expect(catalog.entries().some(({ connector }) => connector.id === id)).toBe(false),
    SOON,
  );
  expect(catalog.has(id)).toBe(true);
  await admin(one!, 'DELETE', '/connectors/later');
  await vi.waitFor(() => expect(catalog.has(id)).toBe(false), SOON);
});

test('a connector that is disabled here while another replica changes one stays disabled', async () => {
  const upstream = keep(await startUpstream({ tools: TOOLS }));
  const [one, two] = await startReplicas(2);
  const endpoint = { name: 'X', url: upstream.url, allowPrivateNetwork: true };
  for (const id of ['off', 'gone', 'other'])
    expect((await admin(one!, 'POST', '/connectors', { id, ...endpoint })).status).toBe(201);
  const { catalog, storage } = two!.running.hub;
  const nameOfOther = () => catalog.connectors().find(({ id }) => id === 'other')?.name;
  await vi.waitFor(() => expect(catalog.connectors()).toHaveLength(3), SOON);
  // What is read is held back for a while.
  const list = storage.connectors.list.bind(storage.connectors);
  const readings: (string | undefined)[] = [];
  let open: (() => void) | undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  vi.spyOn(storage.connectors, 'list').mockImplementation(async () => {
    const found = await list();
    readings.push(found.find(({ id }) => id === 'other')?.name);
    await gate;
    return found;
  });
  await admin(one!, 'PATCH', '/connectors/other', { name: 'Y' });
  await vi.waitFor(() => expect(readings).toContain('Y'), SOON);
  const disabled = await admin(two!, 'PATCH', '/connectors/off', { enabled: false });
  expect(disabled.status, JSON.stringify(disabled.body)).toBeLessThan(300);
  expect((await admin(two!, 'DELETE', '/connectors/gone')).status).toBeLessThan(300);
  open?.();
  await vi.waitFor(() => expect(nameOfOther()).toBe('Y'), SOON);
  expect(catalog.connectors().map(({ id, enabled }) => [id, enabled])).toEqual([
    ['off', false],
    ['other', true],
  ]);
});

test('what a replica learns of an upstream counts at one whose clock is ahead', async () => {
  const { upstream, hubs } = await startWithUpstream(2);
  const [one, two] = hubs;
  const { catalog } = one!.running.hub;
  const id = toConnectorId('remote');
  const known = catalog.snapshotOf(id)!;
  catalog.putSnapshot({ ...known, takenAt: known.takenAt + 3_600_000 });
  upstream.script = {
    ...upstream.script,
    tools: [...TOOLS, { name: 'new', inputSchema: { type: 'object' } }],
  };
  expect((await admin(two!, 'POST', '/connectors/remote/sync', {})).status).toBeLessThan(300);
  await vi.waitFor(() => expect(catalog.snapshotOf(id)?.tools).toHaveLength(2), SOON);
});

test('what was changed while Redis was away counts when it is back, and until then no replica calls itself ready', async () => {
  const [one, two] = await startReplicas(2);
  await admin(one!, 'POST', '/agents', { id: 'anna', name: 'Anna' });
  const { body } = await admin(one!, 'POST', '/agents/anna/keys', {});
  const { key, id } = body as { key: string; id: string };
  expect(await statusOf(two!, key)).not.toBe(401);
  const readiness = async (hub: TestHub) => (await fetch(`${hub.url}/ready`)).status;
  expect(await readiness(two!)).toBe(200);
  await servers().redis.kill();
  await vi.waitFor(async () => expect(await readiness(two!)).toBe(503), SOON);
  await admin(one!, 'DELETE', `/agents/anna/keys/${id}`);
  await servers().redis.start();
  await vi.waitFor(async () => expect(await readiness(two!)).toBe(200), SOON);
  await vi.waitFor(async () => expect(await statusOf(two!, key)).toBe(401), SOON);
});

test('F25: what is changed while Redis is away counts elsewhere within seconds, for whoever still sends requests there', async () => {
  const { hubs } = await startWithUpstream(2);
  const [one, two] = hubs;
  await admin(one!, 'POST', '/agents', { id: 'anna', name: 'Anna' });
  const { body } = await admin(one!, 'POST', '/agents/anna/keys', {});
  const { key, id } = body as { key: string; id: string };
  expect(await statusOf(two!, key)).not.toBe(401);
  const explain = async (): Promise<unknown> => {
    const asked = { agent: 'local', tool: 'remote__echo', arguments: {} };
    return ((await admin(two!, 'POST', '/policies/explain', asked)).body as { decision: unknown }).decision;
  };
  expect(await explain()).toBe('allow');
  await servers().redis.kill();
  try {
    await admin(one!, 'DELETE', `/agents/anna/keys/${id}`);
    await admin(one!, 'PUT', '/policies/no-calls', { text: 'forbid (principal, action, resource);' });
    await vi.waitFor(async () => expect(await statusOf(two!, key)).toBe(401), SOON);
    await vi.waitFor(async () => expect(await explain()).toBe('deny'), SOON);
  } finally {
    await servers().redis.start();
  }
});

test('a replica that starts leaves the running calls of others alone, and closes those of one that is gone', async () => {
  let answer: (() => void) | undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const { hubs } = await startWithUpstream(2, {
    call: async () => {
      await answered;
      return { content: [{ type: 'text', text: 'done' }] };
    },
  });
  const [one, two] = hubs;
  const client = keep(await connectAgent(one!));
  const running = client.callTool('remote__echo', {});
  await vi.waitFor(async () => expect(await eventsOf(one!, 'call.intended')).toHaveLength(1), SOON);
  expect(await recoverUnfinishedCalls(two!.running.hub)).toBe(0);
  // Its last sign of life is too long ago.
  const [intended] = await eventsOf(one!, 'call.intended');
  expect(intended?.instance).toBe(one!.running.hub.instance.id);
  await two!.running.hub.storage.instances.leave(one!.running.hub.instance.id);
  const both = await Promise.all(hubs.map(({ running: { hub } }) => recoverUnfinishedCalls(hub)));
  // Its own calls are its own affair; the other replica closes them once.
  expect(both.reduce((sum, count) => sum + count, 0)).toBe(1);
  expect((await eventsOf(two!, 'call.finished')).map(({ outcome }) => outcome)).toEqual(['outcome_unknown']);
  answer?.();
  await running;
  await recordsOf(one!);
  expect(await verifyChain(two!.running.hub.storage.events)).toMatchObject({ ok: true });
});

test('a hub on Postgres that shares no locks says at its start what that means', async () => {
  const place = keep(await createSharedPlace(servers()));
  const warnings: string[] = [];
  const logger: Logger = {
    ...silentLogger,
    warn: (_, message) => void warnings.push(message),
    child: () => logger,
  };
  const { storage } = place.config;
  keep(await startTestHub({ folder: place.folder, config: { storage }, logger }));
  expect(warnings.filter((text) => text.includes('coordination.url'))).toHaveLength(1);
});

test('a hub whose Redis does not answer at the start says so, and leaves nothing behind', async () => {
  const place = keep(await createSharedPlace(servers()));
  const coordination = { url: 'redis://:canary-password@127.0.0.1:1' };
  const failure = await startTestHub({
    folder: place.folder,
    config: { ...place.config, coordination },
  }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'storage_unavailable' });
  expect(String(failure)).not.toContain('canary');
  keep(await startTestHub({ folder: place.folder, config: place.config }));
});
