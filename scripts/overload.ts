import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { startHubProcess, type HubProcess } from '../test/support/hub-process.js';
import { findCapacity, runOpenLoop, type OpenLoopResult } from '../test/support/open-loop.js';
import { ROOT } from './repository.js';

/**
 * What is left of a hub that is asked for three times what it can do, and of an agent beside one that asks for too much.
 * The built hub has a core of its own, where there are two; whoever asks and the upstream share the other.
 * Usage: npm run build && npm run overload [-- rounds seconds]
 */

const [rounds = 3, seconds = 8] = process.argv.slice(2).map(Number);
/** An answer that comes later than this is of no use to anybody. */
const USEFUL_MS = 2_000;
const KEYS = { greedy: 'cpk_greedy_0123456789abcdef', modest: 'cpk_modest_0123456789abcdef' };

const canPin = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;
if (canPin) execFileSync('taskset', ['-acp', '0', String(process.pid)], { stdio: 'ignore' });

const folder = mkdtempSync(join(tmpdir(), 'crosspoint-overload-'));
const upstream = spawn(process.execPath, ['--import', 'tsx', join(ROOT, 'scripts', 'overload-upstream.ts')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [url] = (await once(createInterface({ input: upstream.stdout }), 'line')) as [string];
const config = {
  connectors: { up: { url } },
  policies: ['all.cedar'],
  agents: { greedy: { keys: [KEYS.greedy] }, modest: { keys: [KEYS.modest] } },
};
writeFileSync(join(folder, 'all.cedar'), 'permit(principal, action, resource);');

function requestOf(key: string): Buffer {
  const version = '2026-07-28';
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'up__read',
      arguments: {},
      _meta: {
        'io.modelcontextprotocol/protocolVersion': version,
        'io.modelcontextprotocol/clientInfo': { name: 'overload', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  });
  const head = [
    'POST /mcp HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `MCP-Protocol-Version: ${version}`,
    'Mcp-Method: tools/call',
    'Mcp-Name: up__read',
    `Content-Length: ${body.length}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

const at = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
};
const median = (values: readonly number[]): number => at(values, 0.5);
const ms = (value: number): string => `${value.toFixed(1)} ms`;
const useful = ({ good }: OpenLoopResult): number => good.filter((tookMs) => tookMs <= USEFUL_MS).length;

function tell(what: string, result: OpenLoopResult): void {
  const { offered, good, refused, failed, open } = result;
  console.log(
    `${what}: offered ${Math.round(offered / seconds)}/s, useful ${Math.round(useful(result) / seconds)}/s ` +
      `(p50 ${ms(median(good))}, p99 ${ms(at(good, 0.99))}), refused ${Math.round(refused.length / seconds)}/s ` +
      `(p50 ${ms(median(refused))}, p99 ${ms(at(refused, 0.99))}), failed ${failed}, open ${open}`,
  );
}

/** How long until a call is answered well, and soon, after the load has gone. */
async function untilCalm(port: number, request: Buffer): Promise<number> {
  const from = performance.now();
  for (;;) {
    const { good } = await runOpenLoop({ port, request, perSecond: 50, seconds: 0.2 });
    if (good.length >= 10 && at(good, 1) < 100) return performance.now() - from;
    if (performance.now() - from > 30_000) return Number.POSITIVE_INFINITY;
  }
}

async function measureOverload(hub: HubProcess, port: number): Promise<void> {
  const request = requestOf(KEYS.modest);
  const goodput: number[] = [];
  const refusal: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const capacity = await findCapacity(port, request, 64, Math.min(4, seconds));
    console.log(`round ${round}: capacity ${Math.round(capacity)}/s with 64 connections`);
    const once1 = await runOpenLoop({ port, request, perSecond: capacity, seconds });
    tell(`round ${round}: 1x`, once1);
    await sleep(1_000);
    const thrice = await runOpenLoop({ port, request, perSecond: capacity * 3, seconds });
    tell(`round ${round}: 3x`, thrice);
    console.log(`round ${round}: calm again after ${Math.round(await untilCalm(port, request))} ms`);
    const peak = Math.max(capacity, useful(once1) / seconds);
    goodput.push(useful(thrice) / seconds / peak);
    refusal.push(at(thrice.refused, 0.5));
    if (hub.exitCode() !== null) throw new Error('the hub ended');
  }
  console.log(
    `goodput at 3x: ${(100 * median(goodput)).toFixed(0)} % of the capacity (median; wanted: at least 80 %); ` +
      `refusals after ${ms(median(refusal))} (median)`,
  );
}

async function measureGreed(port: number): Promise<void> {
  const ratios: number[] = [];
  const served: number[] = [];
  const greedy = requestOf(KEYS.greedy);
  const modest = requestOf(KEYS.modest);
  for (let round = 1; round <= rounds; round++) {
    const capacity = await findCapacity(port, greedy, 64, Math.min(4, seconds));
    const share = { port, request: modest, perSecond: Math.max(20, capacity / 20), seconds };
    const half = runOpenLoop({ port, request: greedy, perSecond: capacity / 2, seconds });
    const before = await runOpenLoop(share);
    await half;
    const load = runOpenLoop({ port, request: greedy, perSecond: capacity * 2, seconds });
    const beside = await runOpenLoop(share);
    tell(`round ${round}: modest beside half the capacity`, before);
    tell(`round ${round}: modest beside twice the capacity`, beside);
    tell(`round ${round}: greedy at twice the capacity`, await load);
    await sleep(1_000);
    served.push(useful(beside) / beside.offered);
    ratios.push(at(beside.good, 0.99) / at(before.good, 0.99));
  }
  console.log(
    `the modest agent beside the greedy one: ${(100 * median(served)).toFixed(0)} % of its calls served, p99 x${median(ratios).toFixed(2)} (medians)`,
  );
}

const hub = await startHubProcess(folder, config, [join(ROOT, 'dist', 'cli', 'index.js')], [], {
  ...(canPin && { launcher: ['taskset', '-c', '1'] }),
});
try {
  const port = Number(new URL(hub.url).port);
  while ((await findCapacity(port, requestOf(KEYS.modest), 1, 0.2)) === 0);
  await findCapacity(port, requestOf(KEYS.modest), 64, 3);
  await measureOverload(hub, port);
  await measureGreed(port);
} finally {
  await hub.close();
  upstream.kill();
  rmSync(folder, { recursive: true, force: true });
}
