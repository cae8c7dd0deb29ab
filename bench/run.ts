/**
 * Speed beside others, everybody in one run. `npm run bench -- library` measures the protocol library beside the official SDKs and
 * `eventsource-parser`, `-- hub` the hub beside nginx and other proxies, `-- scale` many connectors, tools, sessions and
 * streams, and `-- workers`, only if it is named, one process beside two. `--write` puts what was found into
 * `docs/performance.md`, `--seconds <n>` is for one round of one subject, `--rounds <n>`, `--json` instead of Markdown. `--quick`
 * measures of the hub's section only what needs nothing installed.
 */
import { availableParallelism, cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { compileBench, type CompiledBench } from './compile.js';
import { findCores } from './cores.js';
import { measureHub } from './hub/measure-hub.js';
import { measureWorkers, workersMarkdown } from './hub/measure-workers.js';
import { hubMarkdown } from './hub/report-hub.js';
import { measureClients, measureServers, type BenchSettings } from './measure-calls.js';
import { measureDecoding } from './measure-decoding.js';
import { measureScale } from './scale/measure-scale.js';
import { scaleMarkdown } from './scale/report-scale.js';
import { writeReport } from './write-document.js';
import { toMarkdown, type BenchReport } from './report.js';

function readNumber(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= least && value <= most) return value;
  throw new Error(`--${name} must be a number from ${least} to ${most}`);
}

function describeMachine(pinned: boolean): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  const binding = pinned ? 'each process on a core of its own' : 'processes not bound to cores';
  const load = loadavg()[0]?.toFixed(1) ?? '?';
  return `${model}, ${availableParallelism()} cores, Node ${process.versions.node}, ${process.platform}, load ${load}, ${binding}`;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string' },
    rounds: { type: 'string' },
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const SECTIONS = ['library', 'hub', 'scale', 'workers'];
const unknown = positionals.find((name) => !SECTIONS.includes(name));
if (unknown !== undefined) throw new Error(`there is no section ${unknown}, only ${SECTIONS.join(', ')}`);
const wanted = (section: string): boolean => positionals.length === 0 || positionals.includes(section);
const secondsOr = (usual: string): number => readNumber('seconds', values.seconds ?? usual, 0.01, 60);
const roundsOr = (usual: string): number => Math.ceil(readNumber('rounds', values.rounds ?? usual, 1, 1000));
const library = { seconds: secondsOr('0.6'), rounds: roundsOr('5') };
const hub = { seconds: secondsOr('1'), rounds: roundsOr('4') };

const cores = findCores();
const machine = describeMachine(cores !== undefined);
const bench = await compileBench();
// Also when it fails or is interrupted; workers end with us by themselves.
process.once('exit', bench.remove);
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

const say = (line: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`${line}\n`);
};

async function measureLibrary(compiled: CompiledBench): Promise<BenchReport> {
  const settings: BenchSettings = {
    bench: compiled,
    cores,
    rounds: library.rounds,
    ms: library.seconds * 1000,
    say,
  };
  return {
    machine,
    rounds: library.rounds,
    secondsPerRound: library.seconds,
    decoding: await measureDecoding(settings),
    servers: await measureServers(settings),
    clients: await measureClients(settings),
  };
}

function print(section: string, report: object, markdown: string): void {
  console.log(values.json ? JSON.stringify(report, undefined, 2) : markdown);
  if (values.write) writeReport(section, markdown);
}

if (wanted('library')) {
  const report = await measureLibrary(bench);
  print('library', report, toMarkdown(report));
}
if (wanted('hub')) {
  const { rounds, seconds } = hub;
  const report = await measureHub({ bench, cores, rounds, seconds, quick: values.quick, say });
  const head = `${machine}; medians of ${rounds} interleaved rounds of ${seconds} s`;
  print('hub', { machine, rounds, secondsPerRound: seconds, ...report }, `${head}\n\n${hubMarkdown(report)}`);
}
if (wanted('scale')) {
  const figures = await measureScale({ bench, cores, share: values.quick ? 0.02 : 1, say });
  print('scale', { machine, figures }, `${machine}\n\n${scaleMarkdown(figures)}`);
}
if (positionals.includes('workers')) {
  const { rounds, seconds } = hub;
  const figures = await measureWorkers({ bench, rounds, seconds, say });
  const head = `${describeMachine(false)}; medians of ${rounds} interleaved rounds of ${seconds} s`;
  print('workers', { machine, figures }, `${head}\n\n${workersMarkdown(figures)}`);
}
