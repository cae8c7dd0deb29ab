import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findCores } from '../bench/cores.js';
import { startHubProcess } from '../test/support/hub-process.js';
import { openRawAgent } from '../test/support/raw-agent.js';
import { ROOT } from './repository.js';

/**
 * How much one upstream that hangs, is slow or answers with floods disturbs another. The built hub and each upstream have a process
 * of their own; the hub has a core to itself, where there are two. The good one is measured alone and beside each trouble in turn, many short rounds, so that what else happens
 * on the machine falls on all alike; percentiles are those of all rounds together.
 * Usage: npm run build && npm run isolation [-- calls rounds]
 */

const [calls = 150, rounds = 12] = process.argv.slice(2).map(Number);
const TROUBLES = ['hangs', 'slow', 'floods'] as const;
const PRESSURE = 4;
const PAUSE_MS = 20;

const cores = findCores();
// The upstreams, which this process starts, are bound with it.
if (cores !== undefined)
  execFileSync('taskset', ['-acp', String(cores.other), String(process.pid)], { stdio: 'ignore' });

const children: ChildProcess[] = [];
async function startOne(): Promise<string> {
  const script = join(ROOT, 'scripts', 'isolation-upstream.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return url;
}

const folder = mkdtempSync(join(tmpdir(), 'crosspoint-isolation-'));
const [good, bad] = await Promise.all([startOne(), startOne()]);
const config = {
  connectors: {
    good: { url: good },
    // Without a breaker, which would keep the trouble away.
    ...Object.fromEntries(
      TROUBLES.map((trouble) => [
        trouble,
        { url: bad, timeouts: { requestMs: 2_000, totalMs: 3_000 }, limits: { breakerFailures: 0 } },
      ]),
    ),
  },
};
const hub = await startHubProcess(folder, config, [join(ROOT, 'dist', 'cli', 'index.js')], [], {
  ...(cores !== undefined && { launcher: ['taskset', '-c', String(cores.subject)] }),
});
const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'modern' });
const call = async (name: string): Promise<string> => {
  const answer = await agent.request('tools/call', { name, arguments: {} }).catch(() => undefined);
  return JSON.stringify(answer?.message ?? '');
};

async function measure(): Promise<readonly number[]> {
  const times: number[] = [];
  for (let n = 0; n < calls; n++) {
    const startedAt = performance.now();
    const text = await call('good__fine');
    times.push(performance.now() - startedAt);
    if (!text.includes('fine')) throw new Error(`the good one failed: ${text}`);
  }
  return times;
}

/** Callers of the other one, who wait for their answers and then come again. */
async function beside(trouble: string): Promise<readonly number[]> {
  const over = new AbortController();
  const pressure = Array.from({ length: PRESSURE }, async () => {
    while (!over.signal.aborted) {
      await call(`${trouble}__${trouble}`);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  });
  const times = await measure();
  over.abort();
  await Promise.all(pressure);
  return times;
}

const at = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * share)] ?? 0;

try {
  const deadline = performance.now() + 60_000;
  for (const id of ['good', ...TROUBLES])
    while (!(await call(`${id}__fine`)).includes('fine'))
      if (performance.now() > deadline) throw new Error('the upstreams are not offered');
  await measure();
  const all = new Map<string, number[]>(['alone', ...TROUBLES].map((name) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    for (const trouble of TROUBLES) {
      all.get('alone')?.push(...(await measure()));
      all.get(trouble)?.push(...(await beside(trouble)));
    }
  }
  const alone = all.get('alone') ?? [];
  const ms = (value: number): string => value.toFixed(2);
  console.log(`${alone.length} calls alone: p50 ${ms(at(alone, 0.5))} ms, p99 ${ms(at(alone, 0.99))} ms`);
  for (const trouble of TROUBLES) {
    const times = all.get(trouble) ?? [];
    const ratio = (share: number): string => (at(times, share) / at(alone, share)).toFixed(2);
    const what = trouble === 'slow' ? 'is slow' : trouble;
    console.log(
      `${times.length} beside one that ${what}: p50 ${ms(at(times, 0.5))} ms (x${ratio(0.5)}), p99 ${ms(at(times, 0.99))} ms (x${ratio(0.99)})`,
    );
  }
} finally {
  await hub.close();
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true, force: true });
}
