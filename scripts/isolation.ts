import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { findCores } from '../bench/cores.js';
import { median, quantile } from '../bench/statistics.js';
import { startHubProcess } from '../test/support/hub-process.js';
import { callRequest, openLoadPool } from '../test/support/open-loop.js';
import { openRawAgent } from '../test/support/raw-agent.js';
import { ROOT } from './repository.js';

/**
 * How much one upstream that hangs, is slow or floods disturbs another. The built hub, its callers and each upstream have a
 * process of their own; the hub has a core to itself, where there are two. The good one is measured alone and beside each
 * trouble in turn, many short rounds, and each round beside trouble is compared with the one before it: what else happens on the
 * machine falls on both alike. The median of these ratios is told, so that a few rounds with a bad moment decide nothing; what
 * `nobody` shows, who makes no trouble, is how far it can be trusted. A round during which the host of a virtual machine took
 * a processor away says nothing about the hub: it is left out and counted. The hub, the good upstream and its caller go before all other processes on their cores, where
 * the system lets them: what is waited for is then the hub, and not a core that those who make trouble keep busy.
 * Usage: npm run build && npm run isolation [-- seconds rounds trouble...]
 */

const [seconds = '0.25', rounds = '24', ...wanted] = process.argv.slice(2);
/** Who is called, if anybody, and how it is said. `busy` floods nobody: it shows what so many calls cost by themselves. */
const TROUBLES: Readonly<Record<string, readonly [tool: string, what: string]>> = {
  nobody: ['', 'does not exist'],
  busy: ['http__busy', 'only answers, called as often as those that flood'],
  hangs: ['http__hangs', 'hangs'],
  slow: ['http__slow', 'is slow'],
  floods: ['http__floods', 'answers with 500 log messages'],
  pieces: ['http__pieces', 'answers so in pieces of 1 kB'],
  unknown: ['http__unknown', 'answers with 500 notifications that nobody knows'],
  changes: ['http__changes', 'answers with 500 changes of its list'],
  comments: ['http__comments', 'answers with 12,000 comments'],
  large: ['http__large', 'answers with a log message of 200 kB'],
  lines: ['program__lines', 'is a program and answers with 500 log messages'],
  garbage: ['program__garbage', 'is a program and answers with 900 lines of nonsense'],
  long: ['program__long', 'is a program and answers with a log message of 200 kB'],
  pours: ['http__pours', 'answers with log messages that never end'],
  server_stream: ['', 'pours log messages without being called'],
  server_torrent: ['', 'pours log messages of 200 kB'],
  endless: ['', 'is a program and does the same'],
  torrent: ['', 'is a program and pours log messages of 200 kB'],
  stderr: ['', 'is a program and pours on its stderr'],
};
/** They do it all the time, so each needs a hub of its own. */
const STANDING = ['server_stream', 'server_torrent', 'endless', 'torrent', 'stderr'];
const troubles = wanted.length > 0 ? wanted : Object.keys(TROUBLES);

const cores = findCores();
// The upstreams and callers, which this process starts, are bound with it.
if (cores !== undefined)
  execFileSync('taskset', ['-acp', String(cores.other), String(process.pid)], { stdio: 'ignore' });

/** Before all other processes on its core, with its threads but not with those it starts. */
function goFirst(pid: number | undefined): boolean {
  try {
    execFileSync('chrt', ['-R', '-a', '--rr', '-p', '1', String(pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const children: ChildProcess[] = [];
interface Started {
  readonly child: ChildProcess;
  readonly lines: Interface;
  readonly line: string;
}
async function start(script: string, ...args: string[]): Promise<Started> {
  const file = join(ROOT, 'scripts', script);
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, 'line')) as [string];
  return { child, lines, line };
}

const program = (kind: string): object => {
  const run = [process.execPath, '--import', 'tsx', join(ROOT, 'scripts', 'isolation-program.ts'), kind];
  const binding = cores === undefined ? [] : ['taskset', '-c', String(cores.other)];
  const [command, ...args] = [...binding, ...run];
  return { command, args, limits: { breakerFailures: 0 } };
};

const STATISTICS = '/proc/stat';
/** Hundredths of seconds that the host took from all processors: the eighth figure of proc_stat(5). */
const stolen = existsSync(STATISTICS)
  ? (): string | undefined => readFileSync(STATISTICS, 'latin1').split('\n', 1)[0]?.split(/ +/)[8]
  : (): undefined => undefined;
let leftOut = 0;

async function openHub(good: Started, others: object) {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-isolation-'));
  const config = { connectors: { good: { url: good.line }, ...others } };
  const hub = await startHubProcess(folder, config, [join(ROOT, 'dist', 'cli', 'index.js')], [], {
    ...(cores !== undefined && { launcher: ['taskset', '-c', String(cores.subject)] }),
  });
  goFirst(hub.pid);
  const agent = await openRawAgent({ url: `${hub.url}/mcp`, key: hub.localKey, era: 'modern' });
  const call = async (name: string): Promise<string> => {
    const answer = await agent.request('tools/call', { name, arguments: {} }).catch(() => undefined);
    return JSON.stringify(answer?.message ?? '');
  };
  const deadline = performance.now() + 60_000;
  for (const id of ['good', ...Object.keys(others)])
    while (!(await call(`${id}__fine`)).includes('fine'))
      if (performance.now() > deadline) throw new Error(`${id} is not offered`);
  // A client that makes little garbage: its own pauses would be in every time.
  const client = await openLoadPool({
    port: Number(new URL(hub.url).port),
    request: callRequest(hub.localKey, 'good__fine'),
    connections: 1,
  });
  return {
    hub,
    async measure(): Promise<readonly number[]> {
      const stolenBefore = stolen();
      const { good: times, refused, failed } = await client.saturate(Number(seconds));
      if (refused.length + failed > 0) throw new Error('the good one failed');
      if (stolen() === stolenBefore) return times;
      leftOut++;
      return [];
    },
    async close(): Promise<void> {
      client.close();
      await hub.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const ms = (value: number): string => value.toFixed(2);

/** Times of calls in two rounds, one right after the other. */
interface Pair {
  readonly alone: readonly number[];
  readonly beside: readonly number[];
}

function report(name: string, pairs: readonly Pair[]): void {
  const whole = pairs.filter(({ alone, beside }) => alone.length > 0 && beside.length > 0);
  const what = `beside one that ${TROUBLES[name]?.[1]}`;
  if (whole.length === 0) return console.log(`${what}: nothing was measured`);
  const shown = [0.5, 0.9, 0.99].map((share) => {
    const alone = median(whole.map((pair) => quantile(pair.alone, share)));
    const ratio = median(whole.map((pair) => quantile(pair.beside, share) / quantile(pair.alone, share)));
    return `p${share * 100} x${ratio.toFixed(2)} of ${ms(alone)} ms`;
  });
  const calls = whole.reduce((sum, { beside }) => sum + beside.length, 0);
  console.log(`${what}: ${shown.join(', ')} (${whole.length} rounds, ${calls} calls)`);
}

type OpenHub = Awaited<ReturnType<typeof openHub>>;

/** Those that do something when they are called. */
async function besideCalled(open: OpenHub, names: readonly string[]): Promise<void> {
  const callers = await start('isolation-callers.ts', `${open.hub.url}/mcp`, open.hub.localKey);
  await open.measure();
  const pairs = new Map<string, Pair[]>(names.map((name) => [name, []]));
  for (let round = 1; round <= Number(rounds); round++) {
    for (const name of names) {
      const alone = await open.measure();
      const tool = TROUBLES[name]?.[0] ?? '';
      if (tool !== '') callers.child.stdin?.write(`${tool}\n`);
      pairs.get(name)?.push({ alone, beside: await open.measure() });
      callers.child.stdin?.write('\n');
      await once(callers.lines, 'line');
    }
  }
  for (const [name, measured] of pairs) report(name, measured);
}

const WARM_ROUNDS = 5;
const BREATH_MS = 50;

/** Those that need not be called: one hub with it and one without take turns on their core, and the other stands still. */
async function besideStanding(quiet: OpenHub, loud: OpenHub, name: string): Promise<void> {
  const turn = async (one: OpenHub, other: OpenHub): Promise<readonly number[]> => {
    process.kill(other.hub.pid, 'SIGSTOP');
    process.kill(one.hub.pid, 'SIGCONT');
    await new Promise((resolve) => setTimeout(resolve, BREATH_MS));
    // Not counted: nobody had asked the hub for a while, and then it reads more of what comes unasked.
    await one.measure();
    return one.measure();
  };
  const pairs: Pair[] = [];
  for (let round = 1 - WARM_ROUNDS; round <= Number(rounds); round++) {
    const pair = { alone: await turn(quiet, loud), beside: await turn(loud, quiet) };
    if (round > 0) pairs.push(pair);
  }
  process.kill(quiet.hub.pid, 'SIGCONT');
  report(name, pairs);
}

const hubs: OpenHub[] = [];
try {
  const good = await start('isolation-upstream.ts');
  if (!goFirst(good.child.pid) || !goFirst(process.pid))
    console.log('the good one has no precedence on its core: its times are also those of the others there');
  const called = troubles.filter((name) => !STANDING.includes(name));
  if (called.length > 0) {
    const bad = await start('isolation-upstream.ts');
    // Without a breaker, which would keep the trouble away.
    const http = {
      url: bad.line,
      timeouts: { requestMs: 2_000, totalMs: 3_000 },
      limits: { breakerFailures: 0 },
    };
    const hub = await openHub(good, { http, program: program('') });
    hubs.push(hub);
    await besideCalled(hub, called);
    await hub.close();
  }
  for (const name of troubles.filter((trouble) => STANDING.includes(trouble))) {
    const bad = name.startsWith('server_')
      ? { url: (await start('isolation-upstream.ts', name)).line }
      : program(name);
    const quiet = await openHub(good, {});
    hubs.push(quiet);
    const loud = await openHub(good, { bad });
    hubs.push(loud);
    await besideStanding(quiet, loud, name);
    await loud.close();
    await quiet.close();
  }
} finally {
  for (const hub of hubs) await hub.close();
  for (const child of children) child.kill();
  if (leftOut > 0) console.log(`left out: ${leftOut} rounds during which the host took a processor away`);
}
