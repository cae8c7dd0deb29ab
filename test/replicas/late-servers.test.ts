import type { NetConnectOpts } from 'node:net';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { startSocketProxy } from '../support/fault-proxy.js';
import { freePort } from '../support/free-port.js';
import { startHubProcess } from '../support/hub-process.js';
import { createSharedPlace, useSharedServers } from '../support/replica-set.js';
import { closeAfterEach } from '../support/resources.js';

/** Servers that a hub needs and that are not there yet when it is started. */

const SOON = { timeout: 20_000, interval: 100 };
const servers = useSharedServers();
const keep = closeAfterEach();

async function lookAt(port: number, path: string, init?: RequestInit) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, init);
  const { status, headers } = answer;
  return { status, retryAfter: headers.get('retry-after'), text: await answer.text() };
}

async function expectToWait(port: number): Promise<void> {
  await vi.waitFor(async () => expect((await lookAt(port, '/health')).status).toBe(200), SOON);
  expect(await lookAt(port, '/ready')).toMatchObject({ status: 503, text: '{"status":"not ready"}' });
  for (const path of ['/mcp', '/api/v1/status', '/'])
    expect(await lookAt(port, path, { method: 'POST', body: '{}' })).toMatchObject({
      status: 503,
      retryAfter: '5',
    });
  const foreign = { origin: 'https://evil.example' };
  expect((await lookAt(port, '/health', { headers: foreign })).status).toBe(403);
}

/** Through something that can be out of order. */
async function startFrontOf(url: string) {
  const address = new URL(url.replace('@/', '@localhost/'));
  const folder = address.searchParams.get('host');
  const to: NetConnectOpts =
    folder === null
      ? { host: address.hostname, port: Number(address.port) }
      : { path: join(folder, '.s.PGSQL.5432') };
  const proxy = keep(await startSocketProxy(to));
  address.searchParams.delete('host');
  const { pathname, search, username, password } = address;
  const who = password === '' ? username : `${username}:${password}`;
  return { proxy, url: `postgres://${who}@127.0.0.1:${proxy.port}${pathname}${search}` };
}

test.each([1, 2])('B0.4: Redis, with a hub of %i', async (workers) => {
  const { redis } = servers();
  const place = keep(await createSharedPlace(servers()));
  const port = await freePort();
  await redis.kill();
  const flags = ['--port', String(port), '--workers', String(workers)];
  const starting = startHubProcess(place.folder, place.config, undefined, flags);
  await expectToWait(port);
  await redis.start();
  const hub = keep(await starting);
  expect((await lookAt(port, '/ready')).status).toBe(200);
  expect(hub.log.filter((line) => line.includes('the hub waits'))).toHaveLength(1);
  expect(hub.log.join('\n')).not.toContain(redis.password);
});

test('B0.4: Postgres', async () => {
  const place = keep(await createSharedPlace(servers()));
  const { proxy, url } = await startFrontOf(place.config.storage.url);
  proxy.fault = 'cut';
  const port = await freePort();
  const config = { ...place.config, storage: { url } };
  const starting = startHubProcess(place.folder, config, undefined, ['--port', String(port)]);
  await expectToWait(port);
  proxy.fault = 'pass';
  const hub = keep(await starting);
  expect((await lookAt(port, '/ready')).status).toBe(200);
  await hub.close();
  expect(hub.exitCode()).toBe(0);
});

test('a database that is not there is not waited for', async () => {
  const place = keep(await createSharedPlace(servers()));
  const url = place.config.storage.url.replace('/postgres?', '/none?');
  const starting = startHubProcess(place.folder, { ...place.config, storage: { url } });
  await expect(starting).rejects.toThrow(/ended before it was ready.*3D000/s);
});
