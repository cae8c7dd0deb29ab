import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Suites } from '../../scripts/conformance-setup.js';
import { judge, runGroup, runScenario, type Check, type Outcome } from './run-scenario.js';
import type { Scenario } from './scenarios.js';

const SUITE_LIMIT_MS = 200_000;
const SCENARIO_LIMIT_MS = 20_000;

type Column = Pick<Scenario, 'line' | 'revision'>;

/**
 * The server scenarios against one server. All of a set run in one process of the suite, one after the other, and the sets
 * too: two at once would be two clients of the same server, and some scenarios count what it tells.
 */
export class ServerRun {
  readonly #suites: Suites;
  readonly #url: string;
  readonly #sets = new Map<string, Promise<ReadonlyMap<string, Outcome>>>();
  readonly #outside = new Map<string, Promise<Outcome>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(suites: Suites, url: string) {
    this.#suites = suites;
    this.#url = url;
  }

  /** Begins before anybody asks for an outcome. */
  start(scenarios: readonly Scenario[]): void {
    for (const scenario of scenarios) this.outcomeOf(scenario).catch(() => {});
  }

  async outcomeOf(scenario: Scenario): Promise<Outcome> {
    const found = (await this.#setOf(scenario)).get(scenario.name);
    return found ?? this.#alone(scenario);
  }

  /** What stands in no set. */
  #alone(scenario: Scenario): Promise<Outcome> {
    let outcome = this.#outside.get(scenario.name);
    if (outcome === undefined) {
      outcome = this.#next(() => runScenario(this.#suites, scenario, { leg: 'server', url: this.#url }));
      this.#outside.set(scenario.name, outcome);
    }
    return outcome;
  }

  #setOf({ line, revision }: Column): Promise<ReadonlyMap<string, Outcome>> {
    const key = `${line} ${revision}`;
    let set = this.#sets.get(key);
    if (set === undefined) {
      set = this.#next(() => runSet(this.#suites, { line, revision }, this.#url));
      this.#sets.set(key, set);
    }
    return set;
  }

  #next<Value>(work: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }
}

async function runSet(suites: Suites, { line, revision }: Column, url: string) {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  try {
    const which =
      line === '0.1' ? ['--suite', 'all'] : ['--requirements', revision, '--timeout', `${SCENARIO_LIMIT_MS}`];
    const args = [suites.programs[line], 'server', '--url', url, ...which, '--output-dir', folder];
    const { exitCode, output } = await runGroup(suites.node, args, SUITE_LIMIT_MS);
    if (exitCode === undefined) throw new Error(`the suite did not end in time: ${output}`);
    return await readOutcomes(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A folder for each scenario: leg, name, time. The program ends with a failure if any of them failed, so that says nothing of one. */
async function readOutcomes(folder: string): Promise<ReadonlyMap<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  for (const entry of await readdir(folder)) {
    const name = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(entry)?.[1];
    if (name === undefined) continue;
    // One that ran into its time limit has none.
    const checks = await readFile(join(folder, entry, 'checks.json'), 'utf8').catch(() => undefined);
    outcomes.set(
      name,
      judge(checks === undefined ? undefined : (JSON.parse(checks) as readonly Check[]), 0, ''),
    );
  }
  return outcomes;
}
