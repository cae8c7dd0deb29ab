import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../scripts/repository.js';
import { startHubProcess, type HubProcess } from '../support/hub-process.js';
import { processesWith } from '../support/processes-with.js';
import { openRawAgent } from '../support/raw-agent.js';
import { startUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';

/** A hub whose disk is full, or whose descriptors have run out: limits of its process are changed while it serves. */

const CAN_LIMIT = process.platform === 'linux' && spawnSync('prlimit', ['--version']).status === 0;

/** Limits of the number of processes do not bind root. */
const AS_NOBODY =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];

describe.runIf(CAN_LIMIT)('F34: a hub that may start no process', () => {
  let folder = '';
  let hub: HubProcess;
  let upstream: ScriptedUpstream;
  const script = join(ROOT, 'test', 'support', 'stdio', 'hostile.mjs');
  const call = async (name: string): Promise<string> => {
    const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'modern' });
    return JSON.stringify((await agent.request('tools/call', { name, arguments: {} })).message);
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'crosspoint-childless-'));
    chmodSync(folder, 0o777);
    upstream = await startUpstream({
      tools: [{ name: 't', inputSchema: { type: 'object' } }],
      call: () => ({ content: [{ type: 'text', text: 'fine' }] }),
    });
    const config = {
      connectors: {
        up: { url: upstream.url },
        child: { command: process.execPath, args: [script, 'good'], era: 'legacy' },
      },
    };
    hub = await startHubProcess(folder, config, undefined, [], { launcher: AS_NOBODY });
    await eventually(async () => (await call('up__t')).includes('fine'), 'a first call');
    await eventually(async () => /"result"/.test(await call('child__fine')), 'a first process');
  }, 90_000);
  afterAll(async () => {
    await hub?.close();
    await upstream?.close();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  test('says so at once, serves the others, and starts them when it may again', async () => {
    const limit = (value: number): void => {
      const [command, ...args] = [...AS_NOBODY, 'prlimit', '--pid', String(hub.pid), `--nproc=${value}:`];
      execFileSync(command, args);
    };
    limit(1);
    try {
      for (const child of childrenOf(hub.pid)) process.kill(child, 'SIGKILL');
      await eventually(async () => childrenOf(hub.pid).length === 0, 'the end of its process');
      const refused = await call('child__fine');
      expect(refused).toMatch(/could not be started|cannot be started|EAGAIN/);
      expect(await call('up__t')).toContain('fine');
      expect((await fetch(`${hub.url}/ready`)).status).toBe(200);
    } finally {
      limit(4_096);
    }
    const headers = { authorization: `Bearer ${hub.adminToken}` };
    const synced = await fetch(`${hub.url}/api/v1/connectors/child/sync`, { method: 'POST', headers });
    expect(synced.status).toBe(200);
    expect(await call('child__fine')).toContain('pid');
  }, 60_000);
});

function childrenOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.split(' ').filter(Boolean).map(Number);
}

async function eventually(holds: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await holds().catch(() => false))) {
    if (Date.now() > deadline) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe.runIf(CAN_LIMIT)('a hub that runs out of', () => {
  let folder = '';
  let upstream: ScriptedUpstream;
  let hub: HubProcess;
  const limit = (what: string, value: number | string): void =>
    void execFileSync('prlimit', ['--pid', String(hub.pid), `--${what}=${value}:`]);
  const status = async (path: string): Promise<number> => (await fetch(`${hub.url}${path}`)).status;
  const call = async (): Promise<string> => {
    const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'modern' });
    return JSON.stringify((await agent.request('tools/call', { name: 'up__t', arguments: {} })).message);
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'crosspoint-exhausted-'));
    upstream = await startUpstream({
      tools: [{ name: 't', inputSchema: { type: 'object' } }],
      call: () => ({ content: [{ type: 'text', text: 'fine' }] }),
    });
    const family = {
      command: process.execPath,
      args: [join(ROOT, 'test', 'support', 'stdio', 'hostile.mjs'), 'grandchild', join(folder, 'ledger')],
      era: 'legacy',
    };
    hub = await startHubProcess(folder, { connectors: { up: { url: upstream.url }, family } });
    await eventually(async () => (await call()).includes('fine'), 'a first call');
    await eventually(async () => processesWith(join(folder, 'ledger')) === 2, 'a process and its own');
  }, 90_000);
  afterAll(async () => {
    await hub?.close();
    await upstream?.close();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  test('F14: room on its disk refuses calls, stays alive, and goes on when there is room again', async () => {
    limit('fsize', 1_024);
    try {
      await eventually(
        async () => /event log cannot be written|storage/.test(await call()),
        'a refused call',
      );
      const before = upstream.seen.length;
      expect(await call()).toMatch(/cannot be written|storage/);
      expect(upstream.seen).toHaveLength(before);
      expect(await status('/health')).toBe(200);
      await eventually(async () => (await status('/ready')) === 503, 'not ready');
      const tools = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'modern' });
      expect(JSON.stringify((await tools.request('tools/list')).message)).toContain('up__t');
    } finally {
      limit('fsize', 'unlimited');
    }
    await eventually(async () => (await call()).includes('fine'), 'a call after room came back');
    expect(await status('/ready')).toBe(200);
    const verified = await fetch(`${hub.url}/api/v1/events/verify`, {
      method: 'POST',
      headers: { authorization: `Bearer ${hub.adminToken}` },
    });
    expect(await verified.json()).toMatchObject({ ok: true });
  }, 120_000);

  test('F33: descriptors still ends those whom a process leaves behind', async () => {
    limit('nofile', readdirSync(`/proc/${hub.pid}/fd`).length);
    try {
      const [child = 0] = childrenOf(hub.pid);
      process.kill(child, 'SIGKILL');
      await eventually(async () => processesWith(join(folder, 'ledger')) === 0, 'the end of all of them');
      expect(hub.exitCode()).toBeNull();
    } finally {
      limit('nofile', 4_096);
    }
  }, 60_000);

  test('F33: descriptors serves those it has, does not crash, and takes new ones when there are more', async () => {
    const port = Number(new URL(hub.url).port);
    const used = readdirSync(`/proc/${hub.pid}/fd`).length;
    limit('nofile', used + 4);
    const clients: Socket[] = [];
    try {
      for (let n = 0; n < 60; n++) clients.push(connect(port, '127.0.0.1').on('error', () => {}));
      await eventually(
        async () => readdirSync(`/proc/${hub.pid}/fd`).length >= used + 3,
        'all descriptors in use',
      );
    } finally {
      for (const client of clients) client.destroy();
      limit('nofile', 4_096);
    }
    await eventually(async () => (await call()).includes('fine'), 'a call after descriptors came back');
    expect(await status('/health')).toBe(200);
  }, 120_000);
});
