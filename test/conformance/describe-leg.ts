import { describe, expect, test } from 'vitest';
import type { Suites } from '../../scripts/conformance-setup.js';
import { findException, findStray, readBaseline } from './baseline.js';
import type { Outcome } from './run-scenario.js';
import { titleOf, type Leg, type Scenario } from './scenarios.js';
import { readReport, renderReport, writeReport, type Result } from './table.js';

const TEST_LIMIT_MS = 240_000;

export interface LegOptions {
  readonly leg: Leg;
  readonly suites: Suites;
  /** All scenarios of one leg. */
  readonly scenarios: readonly Scenario[];
  /** Called once tests run, so it may rely on `beforeAll`. */
  readonly outcomeOf: (scenario: Scenario) => Promise<Outcome>;
}

/** One test per scenario, and one that the documented table is what this run found. */
export function describeLeg({ leg, suites, scenarios, outcomeOf }: LegOptions): void {
  const baseline = readBaseline().filter((exception) => exception.leg === leg);
  const results: Result[] = [];

  describe.concurrent(`official conformance suites, ${leg}`, { timeout: TEST_LIMIT_MS }, () => {
    test.each(scenarios.map((scenario) => [titleOf(scenario), scenario] as const))(
      '%s',
      async (_title, scenario) => {
        const outcome = await outcomeOf(scenario);
        results.push({ scenario, passed: outcome.passed });
        if (findException(baseline, scenario) === undefined) {
          expect(outcome.problems).toEqual([]);
        } else {
          expect(outcome.passed, 'passes now: take it out of baseline.json').toBe(false);
        }
      },
    );
  });

  test(`the baseline names only scenarios that are run, ${leg}`, () => {
    expect(findStray(baseline, scenarios)).toEqual([]);
  });

  test(`docs/conformance.md tells what this run found, ${leg}`, () => {
    const report = renderReport({ leg, versions: suites.versions, results });
    if (process.env['CONFORMANCE_TABLE'] === 'write') writeReport(leg, report);
    expect(readReport(leg)).toBe(report);
  });
}
