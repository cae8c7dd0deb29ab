import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSuites } from './conformance-setup.js';
import { repositoryFiles, ROOT } from './repository.js';
import { runNpm, runTool } from './run-program.js';
import { failedFiles, summarise, withSecondRun, type TestReport } from './test-summary.js';

/** The whole test run: what it needs, then every project, then one line that says how it went. */
const LIMIT_MS = 60 * 60_000;
const BUILD_MS = 10 * 60_000;
/** More than this is no chance. */
const MOST_AGAIN = 5;

async function build(): Promise<void> {
  const { exitCode, output } = await runNpm(['run', '--silent', 'build'], { timeoutMs: BUILD_MS });
  if (exitCode !== 0) throw new Error(`The package could not be built:\n${output}`);
}

async function setUp(): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const step of [build, ensureSuites]) {
    try {
      await step();
    } catch (error) {
      faults.push(`set-up failed: ${error instanceof Error ? error.message : String(error)}`);
      console.error(`\n${faults.at(-1)}\n`);
    }
  }
  return faults;
}

function readReport(path: string): TestReport | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as TestReport;
  } catch {
    return undefined;
  }
}

interface Run {
  readonly report: TestReport | undefined;
  readonly exitCode: number;
}

async function run(name: string, isBuilt: boolean, args: readonly string[] = []): Promise<Run> {
  const path = join(folder, `${name}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${path}`];
  const { exitCode } = await runTool('vitest', ['run', '--allowOnly=false', ...reporters, ...args], {
    output: 'show',
    timeoutMs: LIMIT_MS,
    // Tests that start the hub as a program take what was just built: it starts sooner than its sources.
    env: { CROSSPOINT_TEST_BUILT: isBuilt ? '1' : '0' },
  });
  return { report: readReport(path), exitCode };
}

/**
 * Some tests measure what takes time, or wait for processes, on a machine that they share. A file that fails beside others is run
 * again by itself, and both outcomes are told. What fails for a reason of its own fails again.
 */
async function runAgain(first: Run, isBuilt: boolean): Promise<Run> {
  const files = first.report === undefined ? [] : failedFiles(first.report);
  if (first.report === undefined || files.length === 0 || files.length > MOST_AGAIN) return first;
  console.log(`\nRunning again, one by one:\n${files.join('\n')}\n`);
  const second = await run('again', isBuilt, ['--no-file-parallelism', ...files]);
  if (second.report === undefined) return first;
  const stillFail = new Set(failedFiles(second.report));
  for (const file of files)
    if (!stillFail.has(file)) console.log(`UNSTEADY ${file}: failed beside others, passed by itself`);
  return { report: withSecondRun(first.report, second.report), exitCode: second.exitCode };
}

const folder = mkdtempSync(join(tmpdir(), 'crosspoint-test-'));
try {
  const setUpFaults = await setUp();
  const isBuilt = setUpFaults.length === 0;
  const { report, exitCode } = await runAgain(await run('report', isBuilt), isBuilt);
  const testFiles = repositoryFiles()
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => join(ROOT, path).replaceAll('\\', '/'));
  const { passed, failed, problems } = summarise({ report, exitCode, testFiles, setUpFaults });
  for (const problem of problems) console.error(`FAILED ${problem}`);
  process.exitCode = failed === 0 ? 0 : 1;
  console.log(`${passed} passed, ${failed} failed`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
