import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findCores } from '../bench/cores.js';
import { quantile } from '../bench/statistics.js';
import { startHubProcess, type HubProcess } from '../test/support/hub-process.js';
import { callRequest, openLoadPool, type LoadPool, type LoopResult } from '../test/support/open-loop.js';
import { ROOT } from './repository.js';

/**
 * What is left of a hub that is asked for three times what it can do, or by thousands of clients at once, and of an agent
 * beside one that asks for too much.
 * The built hub has a core of its own, where there are two; whoever asks and the upstream share the other.
 * Usage: npm run build && npm run overload [-- rounds seconds]
 */

const [rounds = 3, seconds = 8] = process.argv.slice(2).map(Number);
/** An answer that comes later than this is of no use to anybody. */
const USEFUL_MS = 2_000;
const CROWD = 2_000;
const KEYS = { greedy: 'cpk_greedy_0123456789abcdef', modest: 'cpk_modest_0123456789abcdef' };

const cores = findCores();
// The upstream, which this process starts, is bound with it.
if (cores !== undefined)
  execFileSync('taskset', ['-acp', String(cores.other), String(process.pid)], { stdio: 'ignore' });

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

const median = (values: readonly number[]): number => quantile(values, 0.5);
const ms = (value: number): string => `${value.toFixed(1)} ms`;
const useful = ({ good }: LoopResult): number => good.filter((tookMs) => tookMs <= USEFUL_MS).length;
const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;

/** Processor time of a process so far, in seconds; 0 where nobody tells. */
function cpuOf(pid: number): number {
  if (process.platform !== 'linux') return 0;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

interface Measured extends LoopResult {
  /** Processor seconds of the hub, by the second. */
  readonly hubCpu: number;
  /** The same of whoever asks and of the upstream together. */
  readonly otherCpu: number;
}

async function measure(hub: HubProcess, work: Promise<LoopResult>): Promise<Measured> {
  const others = (): number => cpuOf(process.pid) + cpuOf(upstream.pid ?? 0);
  const [startedAt, hubBefore, othersBefore] = [performance.now(), cpuOf(hub.pid), others()];
  const result = await work;
  const took = (performance.now() - startedAt) / 1_000;
  if (hub.exitCode() !== null) throw new Error('the hub ended');
  return {
    ...result,
    hubCpu: (cpuOf(hub.pid) - hubBefore) / took,
    otherCpu: (others() - othersBefore) / took,
  };
}

function tell(what: string, result: LoopResult | Measured): void {
  const { offered, good, refused, failed, unsent, open, seconds: took } = result;
  console.log(
    `${what}: offered ${Math.round(offered / took)}/s, useful ${Math.round(useful(result) / took)}/s ` +
      `(p50 ${ms(median(good))}, p99 ${ms(quantile(good, 0.99))}), refused ${Math.round(refused.length / took)}/s ` +
      `(p50 ${ms(median(refused))}, p99 ${ms(quantile(refused, 0.99))}), failed ${failed}, unsent ${unsent}, open ${open}` +
      ('hubCpu' in result ? `; hub busy ${percent(result.hubCpu)}, others ${percent(result.otherCpu)}` : ''),
  );
}

/** How long until a call is answered well, and soon, after the load has gone. */
async function untilCalm(pool: LoadPool): Promise<number> {
  const from = performance.now();
  for (;;) {
    const { good } = await pool.offer({ perSecond: 50, seconds: 0.2 });
    if (good.length >= 10 && quantile(good, 1) < 100) return performance.now() - from;
    if (performance.now() - from > 30_000) return Number.POSITIVE_INFINITY;
  }
}

/** By the second, with so many connections that ask again as soon as they are answered. */
async function findCapacity(hub: HubProcess, pool: LoadPool): Promise<Measured> {
  const found = await measure(hub, pool.saturate(Math.min(4, seconds)));
  tell('capacity', found);
  return found;
}

async function measureOverload(hub: HubProcess, few: LoadPool, many: LoadPool): Promise<void> {
  const goodput: number[] = [];
  const perCpu: number[] = [];
  const refusal: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const closed = await findCapacity(hub, few);
    const capacity = closed.good.length / closed.seconds;
    const thrice = await measure(hub, many.offer({ perSecond: capacity * 3, seconds }));
    tell(`round ${round}: 3x`, thrice);
    console.log(`round ${round}: calm again after ${Math.round(await untilCalm(many))} ms`);
    goodput.push(useful(thrice) / seconds / capacity);
    perCpu.push(useful(thrice) / seconds / thrice.hubCpu / (capacity / closed.hubCpu));
    refusal.push(median(thrice.refused));
  }
  console.log(
    `goodput at 3x: ${percent(median(goodput))} of the capacity (median; wanted: at least 80 %), ` +
      `${percent(median(perCpu))} by processor time of the hub; refusals after ${ms(median(refusal))} (median)`,
  );
}

/** Clients that all ask again as soon as they are answered, whatever the answer. */
async function measureCrowd(hub: HubProcess, few: LoadPool, crowd: LoadPool): Promise<void> {
  const goodput: number[] = [];
  const refusal: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const closed = await findCapacity(hub, few);
    const crowded = await measure(hub, crowd.saturate(seconds));
    tell(`round ${round}: ${CROWD} clients`, crowded);
    goodput.push(useful(crowded) / crowded.seconds / (closed.good.length / closed.seconds));
    refusal.push(median(crowded.refused));
    await untilCalm(few);
  }
  console.log(
    `goodput with ${CROWD} clients: ${percent(median(goodput))} of the capacity; refusals after ${ms(median(refusal))} (medians)`,
  );
}

async function measureGreed(hub: HubProcess, few: LoadPool, many: LoadPool, modest: LoadPool): Promise<void> {
  const ratios: number[] = [];
  const served: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const closed = await findCapacity(hub, few);
    const capacity = closed.good.length / closed.seconds;
    const share = { perSecond: Math.max(20, capacity / 20), seconds };
    const half = many.offer({ perSecond: capacity / 2, seconds });
    const before = await modest.offer(share);
    await half;
    const load = measure(hub, many.offer({ perSecond: capacity * 2, seconds }));
    const beside = await modest.offer(share);
    tell(`round ${round}: modest beside half the capacity`, before);
    tell(`round ${round}: modest beside twice the capacity`, beside);
    tell(`round ${round}: greedy at twice the capacity`, await load);
    served.push(useful(beside) / beside.offered);
    ratios.push(quantile(beside.good, 0.99) / quantile(before.good, 0.99));
  }
  console.log(
    `the modest agent beside the greedy one: ${percent(median(served))} of its calls served (wanted: at least 95 %), ` +
      `p99 x${median(ratios).toFixed(2)} (medians)`,
  );
}

const hub = await startHubProcess(folder, config, [join(ROOT, 'dist', 'cli', 'index.js')], [], {
  ...(cores !== undefined && { launcher: ['taskset', '-c', String(cores.subject)] }),
});
const pools: LoadPool[] = [];
const openPool = async (key: string, connections: number): Promise<LoadPool> => {
  const port = Number(new URL(hub.url).port);
  const pool = await openLoadPool({ port, request: callRequest(key, 'up__read'), connections });
  pools.push(pool);
  return pool;
};
try {
  const few = await openPool(KEYS.greedy, 64);
  const many = await openPool(KEYS.greedy, 512);
  const modest = await openPool(KEYS.modest, 64);
  while ((await modest.offer({ perSecond: 20, seconds: 0.2 })).good.length === 0);
  tell('warming up', await few.saturate(3));
  await measureOverload(hub, few, many);
  await measureCrowd(hub, few, await openPool(KEYS.greedy, CROWD));
  await measureGreed(hub, few, many, modest);
} finally {
  for (const pool of pools) pool.close();
  await hub.close();
  upstream.kill();
  rmSync(folder, { recursive: true, force: true });
}
