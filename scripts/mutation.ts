import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';
import { MUTATION_AREAS, type MutationArea } from './mutation/areas.js';
import { instrument } from './mutation/instrument.js';
import { countMutants, describeArea, toVerdicts } from './mutation/report.js';
import { endStuckTrials, isDone, readTrials } from './mutation/trial-log.js';
import { ROOT } from './repository.js';

/**
 * `npm run mutation -- [area…] [--file part-of-a-path] [--at-once N]`: changes the code of an area in many small ways and
 * looks whether its tests notice. Ends with 1 where they notice too little.
 */
const LEAST_SCORE = 85;
const MOST_ROUNDS = 40;
const STUCK_MS = 40_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { file: { type: 'string', default: '' }, 'at-once': { type: 'string', default: '2' } },
});

function requireArea(name: string): MutationArea {
  const area = MUTATION_AREAS.find((each) => each.name === name);
  if (area === undefined)
    throw new Error(`No area ${name}; there are ${MUTATION_AREAS.map((each) => each.name).join(', ')}`);
  return area;
}

/** Runs tests on the changed code. What they find out they write into the folder. */
async function runTests(include: readonly string[], code: ReadonlyMap<string, string>): Promise<string[]> {
  const vitest = await startVitest(
    'test',
    [],
    {
      config: false,
      root: ROOT,
      watch: false,
      include: [...include],
      exclude: ['**/node_modules/**'],
      pool: 'forks',
      maxWorkers: Number(values['at-once']),
      runner: join(ROOT, 'scripts/mutation/mutant-runner.ts'),
      restoreMocks: true,
      unstubEnvs: true,
      testTimeout: 30_000,
      hookTimeout: 30_000,
      // What a change leaves behind may fail after its test.
      dangerouslyIgnoreUnhandledErrors: true,
      silent: true,
      reporters: ['dot'],
    },
    { plugins: [{ name: 'mutants', enforce: 'pre', load: (id) => code.get(id) }] },
  );
  const files = vitest.state.getFiles();
  await vitest.close();
  const broken = files.filter(({ result }) => result?.state === 'fail');
  if (broken.length > 0) throw new Error(`${broken.map(({ name }) => name).join(', ')} must pass first`);
  return files.map(({ filepath }) => filepath);
}

/** A change may leave a process unfit for the next one; then another process goes on. */
async function runToEnd(
  area: MutationArea,
  code: ReadonlyMap<string, string>,
  folder: string,
): Promise<void> {
  let open: readonly string[] = area.tests;
  for (let round = 0; open.length > 0; round++) {
    if (round === MOST_ROUNDS) throw new Error(`${open.join(', ')} did not come to an end`);
    const watch = setInterval(() => endStuckTrials(folder, STUCK_MS), 2_000);
    const files = await runTests(open, code).finally(() => clearInterval(watch));
    open = files.filter((path) => !isDone(folder, path)).map((path) => relative(ROOT, path));
  }
}

async function run(area: MutationArea): Promise<boolean> {
  const begunAt = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-mutation-'));
  process.env['MUTATION_FOLDER'] = folder;
  try {
    const { code, mutants } = await instrument(area.files.filter((path) => path.includes(values.file)));
    await runToEnd(area, code, folder);
    const verdicts = toVerdicts(readTrials(folder));
    for (const line of describeArea(area.name, mutants, verdicts)) console.log(line);
    console.log(`${area.name}: ${Math.round((performance.now() - begunAt) / 1000)} s\n`);
    return countMutants(mutants, verdicts).score >= LEAST_SCORE;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const areas = positionals.length === 0 ? MUTATION_AREAS : positionals.map(requireArea);
const outcomes: boolean[] = [];
for (const area of areas) outcomes.push(await run(area));
process.exitCode = outcomes.every(Boolean) ? 0 : 1;
