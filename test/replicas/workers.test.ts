import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ROOT } from '../../scripts/repository.js';
import { HUB_PROGRAM } from '../support/hub-program.js';
import { startAskingUpstream, type AskingUpstream } from '../support/asking-upstream.js';
import { startHubProcess, type HubProcess } from '../support/hub-process.js';
import { createSharedPlace, useSharedServers, type SharedPlace } from '../support/replica-set.js';
import { closeAfterEach } from '../support/resources.js';
import { RovingClient } from '../support/roving-client.js';

/** Two processes on one port, as one hub. */

const SOON = { timeout: 40_000, interval: 250 };
const servers = useSharedServers();
const keep = closeAfterEach();
let place: SharedPlace;
let upstream: AskingUpstream;
let hub: HubProcess;

beforeAll(async () => {
  upstream = await startAskingUpstream('legacy');
  place = await createSharedPlace(servers());
  const config = { ...place.config, connectors: { remote: { url: upstream.url } } };
  hub = await startHubProcess(place.folder, config, undefined, ['--workers', '2']);
}, 120_000);

afterAll(async () => {
  await hub?.close();
  await upstream?.close();
  place?.close();
}, 60_000);

/** Each of its requests goes to whichever worker is free. */
function roving(): RovingClient {
  return keep(new RovingClient([hub.url], hub.localKey, { fresh: true }));
}

function echo(label: string) {
  return { name: 'remote__echo', arguments: { label } };
}

function workers(): number[] {
  const text = readFileSync(`/proc/${hub.pid}/task/${hub.pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

async function get(path: string): Promise<string> {
  const headers = { authorization: `Bearer ${hub.adminToken}`, connection: 'close' };
  const answer = await fetch(`${hub.url}${path}`, { headers });
  return answer.text();
}

/** When the processes started that answer. */
async function servingSince(): Promise<Set<unknown>> {
  const pages = await Promise.all(Array.from({ length: 6 }, () => get('/metrics')));
  return new Set(pages.map((page) => /^\S*process_start_time\S* (\S+)$/m.exec(page)?.[1]));
}

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function crosspoint(args: readonly string[], folder = ROOT): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...HUB_PROGRAM, ...args],
      { cwd: folder, timeout: 20_000 },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

test('two workers that begin with nothing share keys, tokens and an address', async () => {
  expect(workers()).toHaveLength(2);
  await vi.waitFor(async () => expect(await servingSince()).toHaveProperty('size', 2), SOON);
  const file = JSON.parse(readFileSync(join(place.folder, 'data', 'hub.json'), 'utf8')) as object;
  expect(file).toMatchObject({ url: hub.url, pid: hub.pid });
  const console = await fetch(hub.consoleUrl, { redirect: 'manual', headers: { connection: 'close' } });
  expect(console.status).toBeLessThan(400);
});

test('sessions, questions and deletions hold whichever worker gets a request', async () => {
  const clients = await Promise.all(Array.from({ length: 12 }, () => roving().initialize(0, 0)));
  const labels = clients.flatMap((client, c) => [0, 1, 2, 3].map((n) => ({ client, label: `${c}-${n}` })));
  const answers = await Promise.all(
    labels.map(({ client, label }) => client.request(0, 'tools/call', echo(label))),
  );
  expect(answers.map(({ message }) => message.result?.content[0].text)).toEqual(
    labels.map(({ label }) => `"${label}"`),
  );

  const asking = await roving().initialize(0, 0, { elicitation: {} });
  const call = await asking.begin(0, 'tools/call', {
    name: 'remote__form',
    arguments: { label: 'asked', rounds: 6 },
  });
  for (const word of ['1', '2', '3', '4', '5', '6']) {
    const question = await call.message();
    const answer = { jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { word } } };
    expect(await asking.send(0, answer)).toBe(202);
  }
  expect(JSON.parse((await call.message()).result.content[0].text)).toHaveLength(6);

  expect(await asking.delete(0)).toBe(204);
  for (const _ of [1, 2, 3]) expect((await asking.request(0, 'ping')).status).toBe(404);
});

test('a worker that is killed under calls is replaced, and calls go on', async () => {
  const client = await roving().initialize(0, 0);
  const [killed = 0, other = 0] = workers();
  const done = new AbortController();
  let lost = 0;
  let made = 0;
  const caller = async (): Promise<void> => {
    while (!done.signal.aborted) {
      const answer = await client.request(0, 'tools/call', echo('storm')).catch(() => undefined);
      if (answer?.message?.result?.content === undefined) lost++;
      else made++;
      await sleep(50);
    }
  };
  const callers = [caller(), caller(), caller(), caller()];
  try {
    await vi.waitFor(() => expect(made).toBeGreaterThan(20), SOON);
    process.kill(killed, 'SIGKILL');
    const before = made;
    await vi.waitFor(() => expect(made).toBeGreaterThan(before + 20), SOON);
    await vi.waitFor(async () => expect(await servingSince()).toHaveProperty('size', 2), SOON);
  } finally {
    done.abort();
    await Promise.all(callers);
  }
  // Only what was under way in it.
  expect(lost).toBeLessThanOrEqual(callers.length);
  expect(workers()).toHaveLength(2);
  expect(workers()).toContain(other);
  expect(workers()).not.toContain(killed);
  expect((await client.request(0, 'tools/call', echo('after'))).message.result.content).toBeDefined();
  const file = JSON.parse(readFileSync(join(place.folder, 'data', 'hub.json'), 'utf8')) as object;
  expect(file).toMatchObject({ url: hub.url, pid: hub.pid });
  const verdict = await crosspoint(['events', 'verify', '--json', '--data', join(place.folder, 'data')]);
  expect(JSON.parse(verdict.stdout)).toMatchObject({ ok: true });
});

test('SIGHUP reaches every worker; SIGTERM ends them all with 0', async () => {
  process.kill(hub.pid, 'SIGHUP');
  await vi.waitFor(async () => {
    const { items } = JSON.parse(await get('/api/v1/events?type=config.reloaded')) as { items: unknown[] };
    expect(items.length).toBeGreaterThanOrEqual(2);
  }, SOON);
  const pids = [hub.pid, ...workers()];
  await hub.close();
  expect(hub.exitCode()).toBe(0);
  expect(pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  expect(readdirSync(join(place.folder, 'data'))).not.toContain('hub.json');
});

test('without a store to share they are refused before anything is made', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-workers-'));
  try {
    const refused = await crosspoint(['serve', '--workers', '2', '--port', '0'], folder);
    expect(refused).toMatchObject({ code: 78, stdout: '' });
    expect(refused.stderr).toMatch(/^crosspoint: server\.workers: 2 workers need .*postgres.*redis.*\n$/);
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
