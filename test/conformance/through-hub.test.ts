import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureSuites } from '../../scripts/conformance-setup.js';
import { ROOT } from '../../scripts/repository.js';
import { startKeyProxy, type KeyProxy } from '../support/key-proxy.js';
import { startFixture, type RunningFixture } from '../support/start-fixture.js';
import { startTestHub, waitForSync, type TestHub } from '../support/start-hub.js';
import { listScenarios } from './list-scenarios.js';
import { runScenario } from './run-scenario.js';
import { titleOf, type Scenario } from './scenarios.js';
import { Slots } from './slots.js';
import { readReport, renderReport, writeReport, type Result } from './table.js';

/**
 * The server scenarios of the official suites at the hub's endpoint of one connector, behind which the fixture is: once
 * as a server of the handshake era, once as a modern one. With the two wires of the suites that makes four cells.
 */

type UpstreamEra = 'legacy' | 'modern';

/** A scenario that does not pass through the hub, and why. */
interface HubException {
  readonly upstream: UpstreamEra | 'both';
  readonly revision: Scenario['revision'];
  readonly scenario: string;
  readonly reason: string;
}

const TEST_LIMIT_MS = 240_000;
const suites = await ensureSuites();
const slots = new Slots(2);
const listed = await listScenarios(suites, 'server');
/** Tasks come with the bridge; until then each of these would only wait for its time to be over. */
const isLeftOut = ({ name }: Scenario): boolean => name.startsWith('tasks-');
const scenarios = listed.filter((scenario) => !isLeftOut(scenario));
const { exceptions } = JSON.parse(
  readFileSync(join(ROOT, 'test', 'conformance', 'through-hub.json'), 'utf8'),
) as {
  readonly exceptions: readonly HubException[];
};

const appliesTo = ({ upstream }: HubException, era: UpstreamEra): boolean =>
  upstream === 'both' || upstream === era;
const concerns = (exception: HubException, era: UpstreamEra, { revision, name }: Scenario): boolean =>
  appliesTo(exception, era) && exception.revision === revision && exception.scenario === name;

describe.each<UpstreamEra>(['legacy', 'modern'])('a %s upstream', (era) => {
  const opened: { close(): Promise<unknown> }[] = [];
  const results: Result[] = [];
  let proxy: KeyProxy;

  beforeAll(async () => {
    const fixture: RunningFixture = await startFixture(['--era', era]);
    opened.push(fixture);
    const hub: TestHub = await startTestHub({
      config: { connectors: { fixture: { url: fixture.url, era } } },
    });
    opened.push(hub);
    await waitForSync(hub, 'fixture');
    proxy = await startKeyProxy(hub.url, hub.localKey);
    opened.push(proxy);
  });
  afterAll(async () => {
    for (const one of opened.toReversed()) await one.close();
  });

  describe.concurrent('through the hub', { timeout: TEST_LIMIT_MS }, () => {
    test.each(scenarios.map((scenario) => [titleOf(scenario), scenario] as const))(
      '%s',
      async (_title, scenario) => {
        const url = `${proxy.url}/connectors/fixture/mcp`;
        const outcome = await slots.run(() => runScenario(suites, scenario, { leg: 'server', url }));
        results.push({ scenario, passed: outcome.passed });
        const exception = exceptions.find((one) => concerns(one, era, scenario));
        if (exception === undefined) expect(outcome.problems).toEqual([]);
        else expect(outcome.passed, 'passes now: take it out of through-hub.json').toBe(false);
      },
    );
  });

  test('the list of exceptions names only scenarios that are run, each with its reason', () => {
    const ours = exceptions.filter((exception) => appliesTo(exception, era));
    expect(ours.filter((one) => !scenarios.some((scenario) => concerns(one, era, scenario)))).toEqual([]);
    expect(ours.filter(({ reason }) => reason === '')).toEqual([]);
  });

  test('docs/conformance.md tells what this run found', () => {
    const report = renderReport({
      leg: 'server',
      versions: suites.versions,
      results,
      leftOut: listed.filter(isLeftOut),
      leftOutTopic: 'tasks',
    });
    const part = `hub, ${era} upstream`;
    if (process.env['CONFORMANCE_TABLE'] === 'write') writeReport(part, report);
    expect(readReport(part)).toBe(report);
  });
});
