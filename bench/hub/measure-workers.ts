import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CompiledBench } from '../compile.js';
import { table } from '../report.js';
import { interleave, median } from '../statistics.js';
import { createLoad } from './load.js';
import type { Program } from './processes.js';
import { startHub, startStub } from './targets.js';
import { toRequest } from './work.js';

export interface WorkersSettings {
  readonly bench: CompiledBench;
  readonly rounds: number;
  readonly seconds: number;
  readonly say: (line: string) => void;
}

/** Medians over all rounds. */
export interface WorkersFigures {
  readonly workers: number;
  readonly callsPerSecond: number;
  /** Of all its processes. */
  readonly cpuMicrosPerCall: number;
  /** Of the process that had most to do: what bounds the rate where there are cores enough. */
  readonly busiestMicrosPerCall: number;
  readonly errors: number;
}

const WIDTH = 64;
const NUMBERS = [1, 2];
const WARM_UP_CALLS = 20_000;
const WARM_UP_RUNS = 20;
const START_MS = 60_000;

/** One hub as one process and as several, over SQLite. Nothing is bound to a core: the system shares them out. */
export async function measureWorkers({
  bench,
  rounds,
  seconds,
  say,
}: WorkersSettings): Promise<readonly WorkersFigures[]> {
  const programs: Program[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-bench-workers-'));
  const load = createLoad(undefined, bench.worker('../hub/workers/load-loop'));
  const started = (program: Program): void => void programs.push(program);
  const killAll = (): void => programs.forEach((program) => program.kill());
  process.once('exit', killAll);
  try {
    const stub = await startStub({ bench, core: undefined, started });
    const around = { bench, core: undefined, upstream: stub.url, folder, started };
    const subjects = [];
    for (const workers of NUMBERS) {
      say(`starting ${workers} workers`);
      const { url, program, speech } = await startHub(around, undefined, ['--workers', String(workers)]);
      // With a primary, where there are several.
      await untilProcesses(program, workers === 1 ? 1 : workers + 1);
      const request = toRequest('echo', { ...speech, era: 'modern' }, []);
      const run = () => load.run({ url, request, connections: WIDTH, seconds });
      let calls = 0;
      for (let i = 0; i < WARM_UP_RUNS && calls < WARM_UP_CALLS * workers; i++)
        calls += (await run()).requests;
      subjects.push({ workers, program, run, measured: [] as Round[] });
    }
    for (const { program, run, measured } of interleave(subjects, rounds)) {
      const before = program.usage().processes;
      const { requests, seconds: took, errors } = await run();
      const used = [...program.usage().processes].map(([pid, cpu]) => cpu - (before.get(pid) ?? 0));
      measured.push({ requests, seconds: took, errors, used });
    }
    return subjects.map(({ workers, measured }) => toFigures(workers, measured));
  } finally {
    await Promise.all(programs.map((program) => program.close()));
    process.removeListener('exit', killAll);
    load.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Round {
  readonly requests: number;
  readonly seconds: number;
  readonly errors: number;
  /** Processor time of each process. */
  readonly used: readonly number[];
}

async function untilProcesses(program: Program, count: number): Promise<void> {
  const deadline = Date.now() + START_MS;
  while (program.usage().processes.size < count) {
    if (Date.now() > deadline) throw new Error('the workers did not start');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function toFigures(workers: number, rounds: readonly Round[]): WorkersFigures {
  const perCall = (micros: number, { requests }: Round): number => micros / Math.max(1, requests);
  const sum = (used: readonly number[]): number => used.reduce((all, one) => all + one, 0);
  return {
    workers,
    callsPerSecond: median(rounds.map(({ requests, seconds }) => requests / seconds)),
    cpuMicrosPerCall: median(rounds.map((round) => perCall(sum(round.used), round))),
    busiestMicrosPerCall: median(rounds.map((round) => perCall(Math.max(...round.used), round))),
    errors: rounds.reduce((all, { errors }) => all + errors, 0),
  };
}

export function workersMarkdown(figures: readonly WorkersFigures[]): string {
  const [one] = figures;
  const times = (value: number, of: number | undefined): string =>
    of === undefined || of === 0 ? '' : `${(value / of).toFixed(2)}x`;
  const rows = figures.map((each) => [
    String(each.workers),
    each.callsPerSecond.toFixed(0),
    times(each.callsPerSecond, one?.callsPerSecond),
    each.cpuMicrosPerCall.toFixed(1),
    each.busiestMicrosPerCall.toFixed(1),
    one === undefined ? '' : times(one.busiestMicrosPerCall, each.busiestMicrosPerCall),
    String(each.errors),
  ]);
  const head = [
    'workers',
    'calls/s',
    'of one',
    'CPU µs per call',
    'of the busiest process',
    'of one, with cores enough',
    'errors',
  ];
  return table(head, rows).join('\n');
}
