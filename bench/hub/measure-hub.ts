import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CompiledBench } from '../compile.js';
import type { Cores } from '../cores.js';
import { interleave, median } from '../statistics.js';
import type { Era } from '../workers/call.js';
import { createLoad, hasProgram, type Load } from './load.js';
import { openSession, post } from './one-request.js';
import type { Program } from './processes.js';
import { measureIdle, type IdleFigures } from './measure-idle.js';
import { measurePipe } from './measure-pipe.js';
import {
  candidates,
  OURS,
  startHub,
  startPipeProxy,
  startStub,
  stdioChildren,
  type Surroundings,
  type Target,
} from './targets.js';
import { toRequest, type Work, type WorkRequest } from './work.js';

export interface HubBenchSettings {
  readonly bench: CompiledBench;
  readonly cores: Cores | undefined;
  readonly rounds: number;
  /** Of one round of one subject. */
  readonly seconds: number;
  /** Only the stub, the bare proxy and the hub, and only the echo. */
  readonly quick: boolean;
  readonly say: (line: string) => void;
}

/** How somebody fared, as medians over all rounds. */
export interface HubFigures {
  readonly name: string;
  readonly work: string;
  readonly era: Era;
  readonly connections: number;
  readonly callsPerSecond: number;
  readonly p50Micros: number;
  readonly p99Micros: number;
  readonly cpuMicrosPerCall: number;
  readonly rssMegabytes: number;
  /** Of all rounds together. */
  readonly errors: number;
}

export interface HubReport {
  readonly load: string;
  readonly figures: readonly HubFigures[];
  /** Who could not be measured, and why. */
  readonly missing: readonly { readonly name: string; readonly why: string }[];
  readonly idle: IdleFigures | undefined;
  /** Calls per second of children over a bare pipe. */
  readonly pipe: Readonly<Record<StdioChild, number>> | undefined;
}

export type StdioChild = keyof ReturnType<typeof stdioChildren>;
/** What the work of the hub in front of each child is called in the report. */
export const STDIO_LABELS: Readonly<Record<StdioChild, string>> = {
  least: 'echo over stdio',
  sdk: 'echo over stdio, child of the SDK',
};

interface Subject {
  readonly target: Target;
  readonly era: Era;
  readonly work: Work;
  /** What the work is called in the report. */
  readonly label: string;
  readonly connections: number;
}

const WIDTH = 32;
/** V8 goes on compiling for the first tens of thousands of calls. */
const WARM_UP_CALLS = 30_000;
const WARM_UP_RUNS = 3;
const READY_MS = 15_000;
const LISTS = [200, 5_000];

/** Everybody in front of the same upstream, each alone on one core in its turn; load and upstream on another. */
export async function measureHub(settings: HubBenchSettings): Promise<HubReport> {
  const { bench, cores, quick, say } = settings;
  const programs: Program[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-bench-hub-'));
  const load = createLoad(cores?.other, bench.worker('../hub/workers/load-loop'));
  const started = (program: Program): void => void programs.push(program);
  const end = async (): Promise<void> => {
    await Promise.all(programs.splice(0).map((program) => program.close()));
  };
  const killAll = (): void => programs.forEach((program) => program.kill());
  process.once('exit', killAll);
  const hasNginx = hasProgram('nginx', '-v');
  const figures: HubFigures[] = [];
  try {
    const stub = await startStub({ bench, core: cores?.other, started });
    const around = { bench, core: cores?.subject, upstream: stub.url, folder, started };
    const { targets, missing } = await startAll(around, candidates(quick, hasNginx), say);
    const idle = quick ? undefined : await measureIdle(around);
    const direct = await startStub({ bench, core: cores?.subject, started });
    figures.push(...(await measure(settings, load, echoSubjects([direct, ...targets], quick))));
    if (!quick) {
      const pair = targets.filter(({ name }) => name === 'nginx' || name === OURS);
      const large = pair.map((target): Subject => ({
        target,
        era: 'legacy',
        work: 'large',
        label: '1 MiB result',
        connections: 8,
      }));
      figures.push(...(await measure(settings, load, large)));
      const watched = pair.map((target): Subject => ({
        target,
        era: 'legacy',
        work: 'progress',
        label: '20 progress notifications',
        connections: 8,
      }));
      figures.push(...(await measure(settings, load, watched)));
    }
    await end();
    const pipe = quick ? undefined : await measureStdio(settings, load, around, figures);
    await end();
    for (const count of quick ? [] : LISTS) {
      const upstream = await startStub({ bench, core: cores?.other, started }, count);
      const few = candidates(false, hasNginx).filter(({ name }) => name === 'nginx' || name === OURS);
      const pair = await startAll({ ...around, upstream: upstream.url }, few, say);
      const label = `list of ${count} tools`;
      const lists = pair.targets.map((target): Subject => ({
        target,
        era: 'legacy',
        work: 'list',
        label,
        connections: 8,
      }));
      figures.push(...(await measure(settings, load, lists)));
      await end();
    }
    return { load: load.name, figures, missing, idle, pipe };
  } finally {
    await end();
    process.removeListener('exit', killAll);
    load.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In front of one child, and that child alone; for a child that does the least, and for one of the official SDK. */
async function measureStdio(
  settings: HubBenchSettings,
  load: Load,
  around: Surroundings,
  figures: HubFigures[],
): Promise<NonNullable<HubReport['pipe']>> {
  const commands = stdioChildren(settings.bench, settings.cores?.other);
  const { body } = toRequest('echo', { era: 'legacy', prefix: '', headers: {} }, []);
  const pipeOf = (command: readonly string[]): Promise<number> =>
    measurePipe(command, body, { width: WIDTH, seconds: settings.seconds });
  const pipe = { least: await pipeOf(commands.least), sdk: await pipeOf(commands.sdk) };
  const subjects: Subject[] = [];
  for (const child of ['least', 'sdk'] as const) {
    const label = STDIO_LABELS[child];
    for (const start of [startPipeProxy, startHub]) {
      const target = await start(around, commands[child]);
      subjects.push({ target, era: 'legacy', work: 'echo', label, connections: WIDTH });
    }
  }
  figures.push(...(await measure(settings, load, subjects)));
  return pipe;
}

async function startAll(
  around: Surroundings,
  all: ReturnType<typeof candidates>,
  say: (line: string) => void,
) {
  const targets: Target[] = [];
  const missing: { name: string; why: string }[] = [];
  for (const { name, start, missing: why } of all) {
    say(`starting ${name}`);
    if (why !== undefined) missing.push({ name, why });
    else targets.push(await start(around));
  }
  return { targets, missing };
}

function echoSubjects(targets: readonly Target[], quick: boolean): readonly Subject[] {
  const echo = (target: Target, connections: number, era: Era = 'legacy'): Subject => ({
    target,
    era,
    work: 'echo',
    label: 'echo',
    connections,
  });
  const wide = targets.map((target) => echo(target, WIDTH));
  if (quick) return wide;
  const named = (...names: string[]): readonly Target[] => targets.filter(({ name }) => names.includes(name));
  return [
    ...wide,
    ...named(OURS).map((target) => echo(target, WIDTH, 'modern')),
    ...named('nginx', 'bare Node proxy', OURS).map((target) => echo(target, 1)),
    ...named('nginx', OURS).map((target) => echo(target, 256)),
  ];
}

async function measure(
  { rounds, seconds, say }: HubBenchSettings,
  load: Load,
  subjects: readonly Subject[],
): Promise<readonly HubFigures[]> {
  const entries = [];
  for (const subject of subjects) {
    const { target, connections } = subject;
    say(`${target.name}: ${subject.label}, ${subject.era}, ${connections} connections`);
    const request = await prepare(subject);
    // Code that has just been loaded is slow, and nobody is judged by it.
    let calls = 0;
    for (let i = 0; i < WARM_UP_RUNS && calls < WARM_UP_CALLS; i++) {
      calls += (await load.run({ url: target.url, request, connections, seconds: Math.min(1, seconds) }))
        .requests;
    }
    entries.push({ subject, request, measured: [] as Measured[] });
  }
  for (const { subject, request, measured } of interleave(entries, rounds)) {
    const { program, url } = subject.target;
    const before = program.usage().cpuMicros;
    const round = await load.run({ url, request, connections: subject.connections, seconds });
    const { cpuMicros, rssBytes } = program.usage();
    measured.push({ ...round, cpuMicros: cpuMicros - before, rssBytes });
  }
  return entries.map(({ subject, measured }) => toFigures(subject, measured));
}

interface Measured extends Awaited<ReturnType<Load['run']>> {
  readonly cpuMicros: number;
  readonly rssBytes: number;
}

function toFigures({ target, label, era, connections }: Subject, rounds: readonly Measured[]): HubFigures {
  const middle = (pick: (round: Measured) => number): number => median(rounds.map(pick));
  return {
    name: target.name,
    work: label,
    era,
    connections,
    callsPerSecond: middle(({ requests, seconds }) => requests / seconds),
    p50Micros: middle(({ p50Micros }) => p50Micros),
    p99Micros: middle(({ p99Micros }) => p99Micros),
    cpuMicrosPerCall: middle(({ cpuMicros, requests }) => cpuMicros / Math.max(1, requests)),
    rssMegabytes: middle(({ rssBytes }) => rssBytes / 1e6),
    errors: rounds.reduce((sum, { errors }) => sum + errors, 0),
  };
}

/** The request to repeat, once it was answered as it should be: some need a moment after their start. */
async function prepare({ target, era, work, connections }: Subject): Promise<WorkRequest> {
  const { url, speech } = target;
  const deadline = Date.now() + READY_MS;
  const sessions: string[] = [];
  // As many as clients would have: what one may do at once is limited.
  const wanted = era === 'legacy' ? Math.ceil(connections / WIDTH) : 0;
  for (let i = 0; i < wanted; i++) {
    const session = await openSession(url, speech.headers);
    if (session !== undefined) sessions.push(session);
  }
  const [session] = sessions;
  for (;;) {
    const request = toRequest(work, { ...speech, era }, sessions);
    const { status, body } = await post(
      url,
      session === undefined ? request.headers : { ...request.headers, 'mcp-session-id': session },
      request.body,
    );
    if (status === 200 && body.includes(request.proof)) return request;
    if (Date.now() > deadline)
      throw new Error(`${target.name} does not do the work: status ${status}, ${body.slice(0, 300)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
