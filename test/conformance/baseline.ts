import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/repository.js';
import { titleOf, type Scenario } from './scenarios.js';

/** A scenario that does not pass, why, and the sentence of the specification that makes this right or tolerable. */
export interface Exception {
  readonly line: Scenario['line'];
  readonly revision: Scenario['revision'];
  readonly leg: Scenario['leg'];
  readonly scenario: string;
  readonly reason: string;
  readonly specification: string;
}

export function readBaseline(): readonly Exception[] {
  return parseBaseline(readFileSync(join(ROOT, 'test', 'conformance', 'baseline.json'), 'utf8'));
}

export function parseBaseline(text: string): readonly Exception[] {
  const { exceptions } = JSON.parse(text) as { readonly exceptions: readonly Exception[] };
  for (const exception of exceptions) {
    for (const member of ['line', 'revision', 'leg', 'scenario', 'reason', 'specification'] as const) {
      if (typeof exception[member] !== 'string' || exception[member] === '') {
        throw new Error(`an exception in the baseline has no ${member}: ${JSON.stringify(exception)}`);
      }
    }
  }
  return exceptions;
}

export function findException(baseline: readonly Exception[], scenario: Scenario): Exception | undefined {
  return baseline.find((exception) => concerns(exception, scenario));
}

/** Exceptions for scenarios that are not run: a typing error, or left over from an older suite. */
export function findStray(baseline: readonly Exception[], scenarios: readonly Scenario[]): readonly string[] {
  return baseline
    .filter((exception) => !scenarios.some((scenario) => concerns(exception, scenario)))
    .map((exception) => titleOf({ ...exception, name: exception.scenario, required: false }));
}

function concerns(exception: Exception, scenario: Scenario): boolean {
  return (
    exception.line === scenario.line &&
    exception.revision === scenario.revision &&
    exception.leg === scenario.leg &&
    exception.scenario === scenario.name
  );
}
