import { expect, test } from 'vitest';
import { findException, findStray, parseBaseline, readBaseline } from './baseline.js';
import { judge, type Check } from './run-scenario.js';
import { parseFirstLine, parseOutsideSets, parseRequirements, type Scenario } from './scenarios.js';
import { Slots } from './slots.js';
import { renderReport } from './table.js';

const checks = (...statuses: readonly Check['status'][]): readonly Check[] =>
  statuses.map((status, index) => ({ id: `check-${index}`, status }));

test.each<[string, readonly Check[] | undefined, number | undefined, boolean]>([
  ['a success and nothing bad', checks('SUCCESS', 'INFO', 'SKIPPED'), 0, true],
  ['a failure', checks('SUCCESS', 'FAILURE'), 1, false],
  ['a warning', checks('SUCCESS', 'WARNING'), 0, false],
  ['nothing but information', checks('INFO', 'SKIPPED'), 0, false],
  ['no checks at all', checks(), 0, false],
  ['no file of checks', undefined, 0, false],
  ['a program that failed although its checks did not', checks('SUCCESS'), 1, false],
  ['a program that had to be ended', checks('SUCCESS'), undefined, false],
])('a scenario with %s', (_case, found, exitCode, passed) => {
  const outcome = judge(found, exitCode, 'output');
  expect(outcome.passed).toBe(passed);
  expect(outcome.problems.length > 0).toBe(!passed);
});

const FIRST_LINE = `Server scenarios (test against a server):
  - ping [2025-06-18,2025-11-25]
  - newer [draft]

Client scenarios (test against a client):
  - tools_call [2025-06-18,2025-11-25]
  - auth/offline-access-scope [draft]
`;
const REQUIREMENTS = `Required for 2026-07-28 (3 scenarios, frozen; run at the 2026-07-28 wire):

Server scenarios (test against a server):
  - caching

Client scenarios (test against a client):
  - auth/basic-cimd

Run and reported, but never scored:
  extension (1):
    - tasks-lifecycle [server]
`;
const ALL = `Server scenarios (test against a server):
  - caching [2026-07-28]
  - tasks-lifecycle [extension]
  - sep-2640-skills-directory [extension]
  - ping [2025-06-18,2025-11-25]

Authorization server scenarios (test against an authorization server):
  - authorization-code-grant [2025-03-26]
`;

const scenario = (leg: Scenario['leg'], name: string, required: boolean): Scenario => ({
  line: '0.2',
  revision: '2026-07-28',
  leg,
  name,
  required,
});

test('the lists of the suites are read as what they mean', () => {
  expect(parseFirstLine(FIRST_LINE).map(({ leg, name, required }) => `${leg} ${name} ${required}`)).toEqual([
    'server ping true',
    'client tools_call true',
    'client auth/offline-access-scope false',
  ]);
  const inSet = parseRequirements(REQUIREMENTS, '2026-07-28');
  expect(inSet).toEqual([
    scenario('server', 'caching', true),
    scenario('client', 'auth/basic-cimd', true),
    scenario('server', 'tasks-lifecycle', false),
  ]);
  expect(parseOutsideSets(ALL, inSet)).toEqual([scenario('server', 'sep-2640-skills-directory', false)]);
});

test('every exception has its reason and its sentence of the specification', () => {
  const entry = {
    line: '0.2',
    revision: '2026-07-28',
    leg: 'server',
    scenario: 'caching',
    reason: 'why',
    specification: 'sentence',
  };
  const baseline = parseBaseline(JSON.stringify({ exceptions: [entry] }));
  expect(findException(baseline, scenario('server', 'caching', true))?.reason).toBe('why');
  expect(
    findException(baseline, { ...scenario('server', 'caching', true), revision: '2025-11-25' }),
  ).toBeUndefined();
  expect(findStray(baseline, [])).toEqual(['0.2 2026-07-28 server: caching']);
  expect(() => parseBaseline(JSON.stringify({ exceptions: [{ ...entry, specification: '' }] }))).toThrow(
    'no specification',
  );
  expect(() => readBaseline()).not.toThrow();
});

test('no more work runs at once than there are slots', async () => {
  const slots = new Slots(2);
  let running = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    running += 1;
    most = Math.max(most, running);
    await Promise.resolve();
    running -= 1;
  };
  await Promise.all(Array.from({ length: 7 }, () => slots.run(work)));
  expect(most).toBe(2);
});

test('the table counts required and other scenarios apart', () => {
  const report = renderReport({
    leg: 'server',
    versions: { '0.1': '0.1.16', '0.2': '0.2.0' },
    results: [
      { scenario: scenario('server', 'caching', true), passed: true },
      { scenario: scenario('server', 'tasks-lifecycle', false), passed: false },
    ],
  });
  expect(report).toContain('| 0.2.0 | 2026-07-28 | 1/1 | 0/1 |');
  expect(report).toContain('| `tasks-lifecycle` | – | – | exception |');
});
