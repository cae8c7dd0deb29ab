import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSuites } from './conformance-setup.js';
import { repositoryFiles, ROOT } from './repository.js';
import { runNpm, runTool } from './run-program.js';
import { summarise, type TestReport } from './test-summary.js';

/** The whole test run: what it needs, then every project, then one line that says how it went. */
const LIMIT_MS = 60 * 60_000;
const BUILD_MS = 10 * 60_000;

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

const folder = mkdtempSync(join(tmpdir(), 'crosspoint-test-'));
try {
  const setUpFaults = await setUp();
  const reportPath = join(folder, 'report.json');
  const { exitCode } = await runTool(
    'vitest',
    ['run', '--allowOnly=false', '--reporter=default', '--reporter=json', `--outputFile.json=${reportPath}`],
    {
      output: 'show',
      timeoutMs: LIMIT_MS,
      // Tests that start the hub as a program take what was just built: it starts sooner than its sources.
      env: { CROSSPOINT_TEST_BUILT: setUpFaults.length === 0 ? '1' : '0' },
    },
  );
  const testFiles = repositoryFiles()
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => join(ROOT, path).replaceAll('\\', '/'));
  const { passed, failed, problems } = summarise({
    report: readReport(reportPath),
    exitCode,
    testFiles,
    setUpFaults,
  });
  for (const problem of problems) console.error(`FAILED ${problem}`);
  process.exitCode = failed === 0 ? 0 : 1;
  console.log(`${passed} passed, ${failed} failed`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
