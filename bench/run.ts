/**
 * Speed beside the official SDKs and `eventsource-parser`, everything in one run: `npm run bench`.
 * `--seconds <n>` for one round of one subject (default 0.6), `--rounds <n>` (default 5), `--json` instead of Markdown.
 */
import { availableParallelism, cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { compileBench } from './compile.js';
import { findCores } from './cores.js';
import { measureClients, measureServers, type BenchSettings } from './measure-calls.js';
import { measureDecoding } from './measure-decoding.js';
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

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '0.6' },
    rounds: { type: 'string', default: '5' },
    json: { type: 'boolean', default: false },
  },
});
const seconds = readNumber('seconds', values.seconds, 0.01, 60);
const rounds = Math.ceil(readNumber('rounds', values.rounds, 1, 1000));
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
const settings: BenchSettings = { bench, cores, rounds, ms: seconds * 1000, say };
const report: BenchReport = {
  machine,
  rounds,
  secondsPerRound: seconds,
  decoding: await measureDecoding(settings),
  servers: await measureServers(settings),
  clients: await measureClients(settings),
};
console.log(values.json ? JSON.stringify(report, undefined, 2) : toMarkdown(report));
