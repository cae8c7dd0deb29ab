import { parseArgs } from 'node:util';
import { keepCase, readCorpus } from '../test/fuzz/corpus.js';
import { fuzz } from '../test/fuzz/fuzz.js';
import { Random } from '../test/fuzz/random.js';
import type { FuzzTarget } from '../test/fuzz/target.js';
import { TARGETS } from '../test/fuzz/targets.js';

/** `npm run fuzz -- [target…] [--seconds N] [--seed N]`: looks for inputs that break a parser and keeps them as cases. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '10' }, seed: { type: 'string' } },
});

function toNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0) throw new Error(`--${name} must be a number, not ${text}`);
  return value;
}

function requireTarget(name: string): FuzzTarget {
  const target = TARGETS.find((each) => each.name === name);
  if (target === undefined)
    throw new Error(`No target ${name}; there are ${TARGETS.map((each) => each.name).join(', ')}`);
  return target;
}

function run(target: FuzzTarget, seconds: number, seed: number): number {
  const corpus = readCorpus(target.name).map((each) => each.input);
  const { runs, milliseconds, findings } = fuzz({
    target,
    corpus,
    random: new Random(seed),
    milliseconds: seconds * 1000,
  });
  const rate = Math.round(runs / (milliseconds / 1000));
  console.log(`${target.name.padEnd(14)} ${runs} runs, ${rate} runs/s, ${findings.length} findings`);
  for (const { input, fault } of findings) console.log(`  ${fault}\n    ${keepCase(target.name, input)}`);
  return findings.length;
}

const seconds = toNumber('seconds', values.seconds);
const seed = values.seed === undefined ? Date.now() >>> 0 : toNumber('seed', values.seed);
const targets = positionals.length === 0 ? TARGETS : positionals.map(requireTarget);
console.log(`seed ${seed}, ${seconds} s each`);
const found = targets.map((target) => run(target, seconds, seed)).reduce((sum, count) => sum + count, 0);
process.exitCode = found === 0 ? 0 : 1;
