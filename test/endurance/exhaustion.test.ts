import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startHubProcess, type HubProcess } from '../support/hub-process.js';
import { openRawAgent } from '../support/raw-agent.js';
import { startUpstream, type ScriptedUpstream } from '../support/scripted-upstream.js';

/** A hub whose disk is full, or whose descriptors have run out: limits of its process are changed while it serves. */

const CAN_LIMIT = process.platform === 'linux' && spawnSync('prlimit', ['--version']).status === 0;

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
  const eventually = async (holds: () => Promise<boolean>, what: string): Promise<void> => {
    const deadline = Date.now() + 30_000;
    while (!(await holds().catch(() => false))) {
      if (Date.now() > deadline) throw new Error(`never: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'crosspoint-exhausted-'));
    upstream = await startUpstream({
      tools: [{ name: 't', inputSchema: { type: 'object' } }],
      call: () => ({ content: [{ type: 'text', text: 'fine' }] }),
    });
    hub = await startHubProcess(folder, { connectors: { up: { url: upstream.url } } });
    await eventually(async () => (await call()).includes('fine'), 'a first call');
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
