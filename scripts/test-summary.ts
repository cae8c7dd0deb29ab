/** The part of vitest's JSON report that counts. */
export interface TestReport {
  readonly testResults: readonly {
    /** Path of the test file. */
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

export interface TestRun {
  /** Undefined when vitest left none. */
  readonly report: TestReport | undefined;
  readonly exitCode: number;
  /** Every test file there is: one that the run missed is a failure. */
  readonly testFiles: readonly string[];
  /** What could not be set up before the run. */
  readonly setUpFaults: readonly string[];
}

export interface TestSummary {
  readonly passed: number;
  readonly failed: number;
  /** One line for every failure that is not a failed test. */
  readonly problems: readonly string[];
}

/** The test files of which something failed. */
export function failedFiles(report: TestReport): readonly string[] {
  return report.testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
}

/** Of files that ran a second time the second time counts. */
export function withSecondRun(first: TestReport, second: TestReport): TestReport {
  const again = new Map(second.testResults.map((file) => [file.name, file]));
  return { testResults: first.testResults.map((file) => again.get(file.name) ?? file) };
}

/**
 * Counts a run. Whatever did not run counts as failed: a skipped test, a file that could not be loaded, a file no
 * project collected, a suite that could not be set up. A run without a single test has failed.
 */
export function summarise({ report, exitCode, testFiles, setUpFaults }: TestRun): TestSummary {
  const files = report?.testResults ?? [];
  const tests = files.flatMap((file) => file.assertionResults);
  const passed = tests.filter((test) => test.status === 'passed').length;
  const failedTests = tests.filter((test) => test.status === 'failed').length;

  const problems = [...setUpFaults];
  for (const file of files) {
    const broken =
      file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed');
    if (broken) problems.push(`failed as a whole: ${file.name}: ${file.message}`);
  }
  for (const { status, fullName } of tests) {
    if (status !== 'passed' && status !== 'failed') problems.push(`did not run (${status}): ${fullName}`);
  }
  const ran = new Set(files.map((file) => file.name));
  problems.push(
    ...testFiles.filter((path) => !ran.has(path)).map((path) => `belongs to no project: ${path}`),
  );
  if (report === undefined) problems.push('vitest left no report');
  else if (passed === 0 && failedTests === 0) problems.push('no test ran');
  // Errors outside any test, such as an unhandled rejection, show in the exit code alone.
  if (exitCode !== 0 && failedTests + problems.length === 0) problems.push(`vitest ended with ${exitCode}`);

  return { passed, failed: failedTests + problems.length, problems };
}
