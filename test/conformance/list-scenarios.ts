import type { Suites, SuiteLine } from '../../scripts/conformance-setup.js';
import { runProgram } from '../../scripts/run-program.js';
import { parseFirstLine, parseOutsideSets, parseRequirements, type Leg, type Scenario } from './scenarios.js';

/** Everything the suites have for one leg, as the suites themselves list it. */
export async function listScenarios(suites: Suites, leg: Leg): Promise<readonly Scenario[]> {
  const [first, older, newer, all] = await Promise.all([
    list(suites, '0.1', []),
    list(suites, '0.2', ['--requirements', '2025-11-25']),
    list(suites, '0.2', ['--requirements', '2026-07-28']),
    list(suites, '0.2', []),
  ]);
  const inSets = [...parseRequirements(older, '2025-11-25'), ...parseRequirements(newer, '2026-07-28')];
  const scenarios = [...parseFirstLine(first), ...inSets, ...parseOutsideSets(all, inSets)];
  return scenarios.filter((scenario) => scenario.leg === leg);
}

async function list(suites: Suites, line: SuiteLine, args: readonly string[]): Promise<string> {
  const { exitCode, output } = await runProgram(suites.node, [suites.programs[line], 'list', ...args], {
    timeoutMs: 60_000,
  });
  if (exitCode !== 0) throw new Error(`suite ${line} could not list its scenarios:\n${output}`);
  return output;
}
