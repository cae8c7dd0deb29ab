import { describe, expect, test } from 'vitest';
import { failedFiles, summarise, withSecondRun, type TestReport, type TestRun } from './test-summary.js';

function fileOf(
  name: string,
  statuses: readonly string[],
  status = 'passed',
): TestReport['testResults'][number] {
  const assertionResults = statuses.map((each, index) => ({ fullName: `${name} ${index}`, status: each }));
  return { name, status, message: '', assertionResults };
}

const GOOD: TestRun = {
  report: { testResults: [fileOf('/a', ['passed', 'passed']), fileOf('/b', ['passed'])] },
  exitCode: 0,
  testFiles: ['/a', '/b'],
  setUpFaults: [],
};

test('a good run', () => {
  expect(summarise(GOOD)).toEqual({ passed: 3, failed: 0, problems: [] });
});

test('failed tests are counted, not told again', () => {
  const report = {
    testResults: [fileOf('/a', ['passed', 'failed', 'failed'], 'failed'), fileOf('/b', ['passed'])],
  };
  expect(summarise({ ...GOOD, report, exitCode: 1 })).toEqual({ passed: 2, failed: 2, problems: [] });
});

describe('what did not run has failed', () => {
  test.each<[string, Partial<TestRun>, number, readonly string[]]>([
    ['a set-up', { setUpFaults: ['no server'] }, 3, ['no server']],
    ['vitest', { report: undefined, exitCode: 1, testFiles: [] }, 0, ['vitest left no report']],
    ['anything', { report: { testResults: [] }, testFiles: [] }, 0, ['no test ran']],
    ['a file nobody collected', { testFiles: ['/a', '/b', '/c'] }, 3, ['belongs to no project: /c']],
    [
      'a file that did not load',
      {
        report: {
          testResults: [fileOf('/a', ['passed']), { ...fileOf('/b', [], 'failed'), message: 'why' }],
        },
        exitCode: 1,
      },
      1,
      ['failed as a whole: /b: why'],
    ],
    [
      'skipped tests',
      { report: { testResults: [fileOf('/a', ['passed', 'skipped', 'todo']), fileOf('/b', ['pending'])] } },
      1,
      ['did not run (skipped): /a 1', 'did not run (todo): /a 2', 'did not run (pending): /b 0'],
    ],
    ['an error outside the tests', { exitCode: 1 }, 3, ['vitest ended with 1']],
  ])('%s', (_name, change, passed, problems) => {
    expect(summarise({ ...GOOD, ...change })).toEqual({ passed, failed: problems.length, problems });
  });
});

describe('a second run of what failed', () => {
  const first: TestReport = {
    testResults: [
      fileOf('/a', ['passed']),
      fileOf('/b', ['failed', 'passed'], 'failed'),
      fileOf('/c', [], 'failed'),
    ],
  };
  test('takes the files of which something failed, or that did not load', () =>
    expect(failedFiles(first)).toEqual(['/b', '/c']));
  test.each<[string, string, number]>([
    ['passed', 'passed', 0],
    ['failed', 'failed', 1],
  ])('counts instead of the first: %s', (outcome, status, failed) => {
    const second = { testResults: [fileOf('/b', [outcome, 'passed'], status), fileOf('/c', ['passed'])] };
    const report = withSecondRun(first, second);
    expect(summarise({ ...GOOD, report, testFiles: ['/a', '/b', '/c'], exitCode: failed }).failed).toBe(
      failed,
    );
  });
});
