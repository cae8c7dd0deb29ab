import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ROOT } from '../../scripts/repository.js';
import { HUB_PROGRAM } from '../support/hub-program.js';
import { startAskingUpstream, type AskingUpstream } from '../support/asking-upstream.js';
import { startHubProcess, type HubProcess } from '../support/hub-process.js';
import { createSharedPlace, SHARED_BY, useSharedServers } from '../support/replica-set.js';
import { closeAfterEach } from '../support/resources.js';
import { RovingClient } from '../support/roving-client.js';

/** Two processes on one port, as one hub. */

const SOON = { timeout: 40_000, interval: 250 };
const keep = closeAfterEach();
let folder: string;
let config: object;
let upstream: AskingUpstream;
let hub: HubProcess;

describe.each(SHARED_BY)('%s', (by) => {
  const servers = by === 'on Postgres and Redis' ? useSharedServers() : undefined;

  beforeAll(async () => {
    upstream = await startAskingUpstream('legacy');
    const place = servers === undefined ? undefined : await createSharedPlace(servers());
    folder = place?.folder ?? mkdtempSync(join(tmpdir(), 'crosspoint-workers-'));
    config = { ...place?.config, idempotencyKeys: true, connectors: { remote: { url: upstream.url } } };
    hub = await startHubProcess(folder, config, undefined, ['--workers', '2']);
  }, 120_000);

  afterAll(async () => {
    await hub?.close();
    await upstream?.close();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  serving();
  if (by === 'on SQLite as workers') killing();
  stopping();
});

/** Each of its requests goes to whichever worker is free. */
function roving(): RovingClient {
  return keep(new RovingClient([hub.url], hub.localKey, { fresh: true }));
}

function echo(label: string) {
  return { name: 'remote__echo', arguments: { label } };
}

/** It never ends by itself, and comes again under the same key. */
function waiting(label: string) {
  const _meta = { 'crosspoint/idempotencyKey': label };
  return { name: 'remote__wait', arguments: { label }, _meta };
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

/** When the workers started that serve, by their number: whichever is asked tells of all. */
async function servingSince(): Promise<Map<string, string>> {
  const page = await get('/metrics');
  const found = page.matchAll(/^process_start_time_seconds\{worker="(\d)"\} (\S+)$/gm);
  return new Map([...found].map(([, worker = '', at = '']) => [worker, at]));
}

/** Calls of which the log says that nobody knows what became of them. */
async function unknownCalls(): Promise<number> {
  const page = await get('/api/v1/events?outcome=outcome_unknown&limit=100');
  return (JSON.parse(page) as { items: readonly object[] }).items.length;
}

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function crosspoint(args: readonly string[], cwd = ROOT, environment: object = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...HUB_PROGRAM, ...args],
      { cwd, timeout: 20_000, env: { ...process.env, ...environment } },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

function serving(): void {
  test('two workers that begin with nothing share keys, tokens and an address', async () => {
    expect(workers()).toHaveLength(2);
    await vi.waitFor(async () => expect(await servingSince()).toHaveProperty('size', 2), SOON);
    const file = JSON.parse(readFileSync(join(folder, 'data', 'hub.json'), 'utf8')) as object;
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
    const file = JSON.parse(readFileSync(join(folder, 'data', 'hub.json'), 'utf8')) as object;
    expect(file).toMatchObject({ url: hub.url, pid: hub.pid });
    const verdict = await crosspoint(['events', 'verify', '--json', '--data', join(folder, 'data')]);
    expect(JSON.parse(verdict.stdout)).toMatchObject({ ok: true });
  });
}

function killing(): void {
  test('what counts from the next start counts for no worker before, also for one that takes another’s place', async () => {
    const file = join(folder, 'crosspoint.json');
    const next = { storage: { url: 'sqlite:next.db' }, server: { host: '127.0.0.2' } };
    writeFileSync(file, JSON.stringify({ ...config, ...next }));
    try {
      const [killed = 0] = workers();
      process.kill(killed, 'SIGKILL');
      await vi.waitFor(() => expect(workers()).not.toContain(killed), SOON);
      await vi.waitFor(async () => expect(await servingSince()).toHaveProperty('size', 2), SOON);
      const { port } = new URL(hub.url);
      await expect(fetch(`http://127.0.0.2:${port}/health`)).rejects.toThrow('fetch failed');
      expect(existsSync(join(folder, 'next.db'))).toBe(false);
    } finally {
      writeFileSync(file, JSON.stringify(config));
    }
  });

  test('F26: calls of workers that are killed are unknown, and the log says so at once', async () => {
    const labels = ['w0', 'w1', 'w2', 'w3', 'w4', 'w5'];
    const client = await roving().initialize(0, 0);
    let lost = 0;
    for (const label of labels) {
      client.request(0, 'tools/call', waiting(label)).then(
        ({ message }) => message?.result ?? lost++,
        () => lost++,
      );
    }
    await vi.waitFor(() => expect(upstream.running.size).toBe(labels.length), SOON);
    const before = await unknownCalls();
    for (const pid of workers()) {
      process.kill(pid, 'SIGKILL');
      await vi.waitFor(async () => expect(await unknownCalls()).toBe(before + lost), SOON);
    }
    await vi.waitFor(async () => expect(await unknownCalls()).toBe(before + labels.length), SOON);
    expect(lost).toBe(labels.length);
    await vi.waitFor(async () => expect(await servingSince()).toHaveProperty('size', 2), SOON);
    // Whoever sends one again is told so as well, and need not wait until the signs of life are old.
    const begun = performance.now();
    const again = await client.request(0, 'tools/call', waiting('w0'));
    expect(again.message.result.content[0].text).toContain('was interrupted');
    expect(performance.now() - begun).toBeLessThan(20_000);
  });

  test('a worker that stands still until its connection to the primary is lost is replaced', async () => {
    const clients = await Promise.all(
      Array.from({ length: 40 }, () => roving().initialize(0, 0, { elicitation: {} })),
    );
    const asked = clients.map(async (client, at) => {
      const call = await client.begin(0, 'tools/call', {
        name: 'remote__form',
        arguments: { label: `deaf-${at}` },
      });
      return { client, id: (await call.message()).id };
    });
    const questions = await Promise.all(asked);
    const open = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
    const [deaf = 0, other = 0] = workers().toSorted((one, two) => open(two) - open(one));
    process.kill(deaf, 'SIGSTOP');
    // Those to its calls, at least half, wait for it: more than 64 MB, as they are sealed.
    const word = 'x'.repeat(3_000_000);
    for (const { client, id } of questions) {
      const result = { action: 'accept', content: { word } };
      client.send(0, { jsonrpc: '2.0', id, result }).catch(() => {});
    }
    await vi.waitFor(() => expect(existsSync(`/proc/${deaf}`)).toBe(false), SOON);
    await vi.waitFor(async () => expect(await servingSince()).toHaveProperty('size', 2), SOON);
    expect(workers()).toContain(other);
  });

  test('F25: killed with its primary nothing stays behind, and the next start finds everything', async () => {
    const client = await roving().initialize(0, 0);
    const running = client.begin(0, 'tools/call', { name: 'remote__wait', arguments: { label: 'cut' } });
    running.catch(() => {});
    await vi.waitFor(() => expect(upstream.running.has('cut')).toBe(true), SOON);
    const before = await unknownCalls();
    const pids = workers();
    await hub.kill();
    await vi.waitFor(() => expect(pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]), SOON);
    hub = await startHubProcess(folder, config, undefined, ['--workers', '2']);
    expect(await unknownCalls()).toBe(before + 1);
    const verdict = await crosspoint(['events', 'verify', '--json', '--data', join(folder, 'data')]);
    expect(JSON.parse(verdict.stdout)).toMatchObject({ ok: true });
  });
}

function stopping(): void {
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
    expect(readdirSync(join(folder, 'data'))).not.toContain('hub.json');
  });
}

test('what cannot be shared is refused before anything is made', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'crosspoint-workers-'));
  try {
    const environment = { CROSSPOINT_STORAGE_URL: 'sqlite::memory:' };
    const refused = await crosspoint(['serve', '--workers', '2', '--port', '0'], empty, environment);
    expect(refused).toMatchObject({ code: 78, stdout: '' });
    expect(refused.stderr).toMatch(/^crosspoint: server\.workers: 2 workers need a store .*\n$/);
    expect(readdirSync(empty)).toEqual([]);
  } finally {
    rmSync(empty, { recursive: true, force: true });
  }
});
