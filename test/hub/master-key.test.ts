import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { KEEP_MS } from '../../src/app/master-key/key-watch.js';
import { openRawAgent } from '../support/raw-agent.js';
import { startUpstream } from '../support/scripted-upstream.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';

const folders: string[] = [];
const hubs: TestHub[] = [];
afterEach(async () => {
  for (const hub of hubs.splice(0)) await hub.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function start(folder: string): Promise<TestHub> {
  const hub = await startTestHub({ folder });
  hubs.push(hub);
  return hub;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-master-'));
  folders.push(folder);
  return folder;
}

const keyFile = (folder: string): string => join(folder, 'data', 'master.key');

async function ask(hub: TestHub, method: string, path: string, body?: object) {
  const response = await fetch(`${hub.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${hub.adminToken}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  return { status: response.status, answer };
}

const secretOf = async (hub: TestHub, id: string) =>
  (await hub.running.hub.storage.credentials.find(id as never, { kind: 'shared' }))?.values[
    'token'
  ]?.reveal();

test('a rotation seals everything with a new key while the hub serves, and the old key opens nothing any more', async () => {
  const folder = newFolder();
  const hub = await start(folder);
  const added = await ask(hub, 'POST', '/connectors', {
    id: 'tracker',
    url: 'https://tracker.example.com/mcp',
    auth: { type: 'bearer', token: 'tracker-token-0123456789' },
  });
  expect(added.status).toBe(201);
  const before = readFileSync(keyFile(folder), 'utf8');

  const { status, answer } = await ask(hub, 'POST', '/master-key/rotate');
  expect(status).toBe(200);
  expect(answer).toMatchObject({ place: { kind: 'file' }, retired: [], unreadable: 0 });
  expect(answer['resealed']).toBeGreaterThan(1);
  const after = readFileSync(keyFile(folder), 'utf8');
  expect(after).toMatch(new RegExp(`^${String(answer['active'])}:[A-Za-z0-9+/]{43}=\n$`));
  expect(await secretOf(hub, 'tracker')).toBe('tracker-token-0123456789');
  const { answer: events } = await ask(hub, 'GET', '/events?type=master_key.rotated');
  expect(events['items']).toMatchObject([{ from: 'master', to: answer['active'] }]);
  expect(JSON.stringify(events)).not.toContain(after.split(':')[1]?.trim());

  await hub.running.stop();
  writeFileSync(keyFile(folder), before);
  await expect(startTestHub({ folder })).rejects.toMatchObject({ code: 'config_invalid' });
  writeFileSync(keyFile(folder), after);
  expect(await secretOf(await start(folder), 'tracker')).toBe('tracker-token-0123456789');
});

test('a rotation that was cut short is finished by the next: both keys are kept until then', async () => {
  const folder = newFolder();
  const hub = await start(folder);
  await ask(hub, 'POST', '/connectors', {
    id: 'tracker',
    url: 'https://tracker.example.com/mcp',
    auth: { type: 'bearer', token: 'tracker-token-0123456789' },
  });
  // As a crash right after the new key was kept leaves it.
  const before = readFileSync(keyFile(folder), 'utf8').trim();
  await hub.running.stop();
  writeFileSync(keyFile(folder), `next:${Buffer.alloc(32, 9).toString('base64')}\n${before}\n`);
  const again = await start(folder);
  expect(await secretOf(again, 'tracker')).toBe('tracker-token-0123456789');
  expect((await ask(again, 'GET', '/master-key')).answer).toMatchObject({
    active: 'next',
    retired: ['master'],
  });
  const { answer } = await ask(again, 'POST', '/master-key/rotate');
  expect(answer).toMatchObject({ retired: [], unreadable: 0 });
  expect(readFileSync(keyFile(folder), 'utf8').trim().split('\n')).toHaveLength(1);
});

test('F51: a key that is taken away leaves stored credentials unused after five minutes, until it is back', async () => {
  const folder = newFolder();
  const token = 'tracker-token-0123456789';
  const upstream = await startUpstream({
    tools: [{ name: 't', inputSchema: { type: 'object' } }],
    tokens: [token],
    protect: 'calls',
  });
  const hub = await start(folder);
  const { keyWatch, clock } = hub.running.hub;
  const common = { url: upstream.url, allowPrivateNetwork: true };
  await ask(hub, 'POST', '/connectors', { id: 'stored', ...common, auth: { type: 'bearer', token } });
  await ask(hub, 'POST', '/connectors', { id: 'open', ...common });
  for (const id of ['stored', 'open']) await waitForSync(hub, id);
  const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'modern' });
  const call = async (id: string) =>
    JSON.stringify((await agent.request('tools/call', { name: `${id}__t`, arguments: {} })).message);
  const calls = () => upstream.methods().filter((method) => method === 'tools/call').length;
  try {
    const key = readFileSync(keyFile(folder), 'utf8');
    const goneAt = clock.monotonic();
    rmSync(keyFile(folder));
    keyWatch.look(goneAt);
    keyWatch.look(goneAt + KEEP_MS / 2);
    expect(await call('stored')).toContain('"resultType":"complete"');
    keyWatch.look(clock.monotonic() + KEEP_MS);
    const before = calls();
    expect(await call('stored')).toContain('the master key is away');
    expect(calls()).toBe(before);
    // It needs nothing of the vault, and is refused by the upstream alone.
    expect(await call('open')).not.toContain('the master key is away');
    writeFileSync(keyFile(folder), `other:${Buffer.alloc(32, 9).toString('base64')}`);
    keyWatch.look();
    expect(await call('stored')).toContain('the master key is away');
    writeFileSync(keyFile(folder), key);
    keyWatch.look();
    expect(await call('stored')).toContain('"resultType":"complete"');
  } finally {
    await upstream.close();
  }
});
