import type { CompiledBench } from './compile.js';
import type { Cores } from './cores.js';
import { interleave, median } from './statistics.js';
import { startWorker, type Worker } from './worker.js';
import type { Era } from './workers/call.js';
import type { Round, RoundOrder } from './workers/call-loop.js';

/** How somebody fared, as medians over all rounds. */
export interface CallFigures {
  readonly name: string;
  readonly era: Era;
  readonly callsPerSecond: number;
  readonly cpuMicrosPerCall: number;
}

export interface BenchSettings {
  readonly bench: CompiledBench;
  readonly cores: Cores | undefined;
  readonly rounds: number;
  /** Of one round of one subject. */
  readonly ms: number;
  readonly say: (line: string) => void;
}

interface Subject {
  readonly name: string;
  readonly era: Era;
  readonly file: string;
  readonly args: readonly string[];
}

const WIDTH = 32;
const WARM_UP_CALLS = 2000;
const WARM_UP_ROUNDS = 3;

const SERVERS: readonly Subject[] = [
  { name: 'Crosspoint', era: 'legacy', file: 'server-crosspoint', args: [] },
  { name: 'SDK v1', era: 'legacy', file: 'server-sdk-v1', args: [] },
  { name: 'SDK v2, stateful transport', era: 'legacy', file: 'server-sdk-v2', args: ['sessions'] },
  { name: 'Crosspoint', era: 'modern', file: 'server-crosspoint', args: [] },
  { name: 'SDK v2, `createMcpHandler`', era: 'modern', file: 'server-sdk-v2', args: ['handler'] },
];

const CLIENTS: readonly Subject[] = [
  { name: 'Crosspoint', era: 'legacy', file: 'client-crosspoint', args: ['legacy'] },
  { name: 'SDK v1', era: 'legacy', file: 'client-sdk-v1', args: [] },
  { name: 'SDK v2', era: 'legacy', file: 'client-sdk-v2', args: ['legacy'] },
  { name: 'Crosspoint', era: 'modern', file: 'client-crosspoint', args: ['modern'] },
  { name: 'SDK v2', era: 'modern', file: 'client-sdk-v2', args: ['modern'] },
];

/** Servers under the same load, each in a process of its own on one core, the load on another. */
export async function measureServers(settings: BenchSettings): Promise<readonly CallFigures[]> {
  const { bench, cores } = settings;
  return await withWorkers(async (start) => {
    const load = await start({ file: bench.worker('load'), core: cores?.other });
    return await measure(settings, SERVERS, async ({ file, args, era }) => {
      const server = await start({ file: bench.worker(file), args, core: cores?.subject });
      return async ({ ms, width }) => {
        const before = (await server.order('cpu')) as number;
        const order = { url: server.started, era, ms, connections: width };
        const round = (await load.order('run', order)) as Pick<Round, 'calls' | 'ms'>;
        return { ...round, cpuMicros: ((await server.order('cpu')) as number) - before };
      };
    });
  });
}

/** Clients of the same small server, each in a process of its own on one core, the server on another. */
export async function measureClients(settings: BenchSettings): Promise<readonly CallFigures[]> {
  const { bench, cores } = settings;
  return await withWorkers(async (start) => {
    const stub = await start({ file: bench.worker('server-stub'), core: cores?.other });
    return await measure(settings, CLIENTS, async ({ file, args, era }) => {
      const url = String(stub.started);
      const client = await start({ file: bench.worker(file), args: [url, ...args], core: cores?.subject });
      if (client.started !== era) throw new Error(`${file} does not speak the ${era} era`);
      return async (order) => (await client.order('run', order)) as Round;
    });
  });
}

type RunRound = (order: RoundOrder) => Promise<Round>;

async function measure(
  { rounds, ms, say }: BenchSettings,
  subjects: readonly Subject[],
  prepare: (subject: Subject) => Promise<RunRound>,
): Promise<readonly CallFigures[]> {
  const entries = [];
  for (const subject of subjects) {
    say(`${subject.file} ${subject.args.join(' ')}`);
    const run = await prepare(subject);
    await warmUp(run, ms);
    entries.push({ subject, run, measured: [] as Round[] });
  }
  for (const { run, measured } of interleave(entries, rounds)) measured.push(await run({ ms, width: WIDTH }));
  return entries.map(({ subject, measured }) => ({
    name: subject.name,
    era: subject.era,
    callsPerSecond: median(measured.map((round) => (round.calls * 1000) / round.ms)),
    cpuMicrosPerCall: median(measured.map((round) => round.cpuMicros / round.calls)),
  }));
}

/** Code that has just been loaded is slow, and nobody is judged by it: calls count here, however long they take. */
async function warmUp(run: RunRound, ms: number): Promise<void> {
  let calls = 0;
  for (let i = 0; i < WARM_UP_ROUNDS && calls < WARM_UP_CALLS; i++) {
    calls += (await run({ ms: ms * 1.5, width: WIDTH })).calls;
  }
}

/** Whatever happens, no process stays behind. */
async function withWorkers<Result>(run: (start: typeof startWorker) => Promise<Result>): Promise<Result> {
  const workers: Worker[] = [];
  try {
    return await run(async (options) => {
      const worker = await startWorker(options);
      workers.push(worker);
      return worker;
    });
  } finally {
    await Promise.all(workers.map((worker) => worker.close()));
  }
}
