import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureSuites } from '../../scripts/conformance-setup.js';
import { bundleProgram } from '../support/bundle-program.js';
import { startKeyProxy } from '../support/key-proxy.js';
import { startFixture } from '../support/start-fixture.js';
import { startTestHub, waitForSync } from '../support/start-hub.js';
import { listScenarios } from './list-scenarios.js';
import { ServerRun } from './run-suite.js';
import { titleOf, type Scenario } from './scenarios.js';
import { readReport, renderReport, writeReport, type Result } from './table.js';

/**
 * The server scenarios of the official suites at the hub's endpoint of one connector, behind which the fixture is: as a
 * server of the handshake era and as a modern one, over HTTP and as a process. With the two wires of the suites that makes
 * eight ways. What passes at the fixture itself has to pass through the hub, whichever way it takes.
 */

const ERAS = ['legacy', 'modern'] as const;
const TRANSPORTS = ['HTTP', 'stdio'] as const;
const WAYS = ERAS.flatMap((era) => TRANSPORTS.map((transport) => ({ era, transport })));
type Way = (typeof WAYS)[number];

const TEST_LIMIT_MS = 240_000;
const suites = await ensureSuites();
const scenarios = await listScenarios(suites, 'server');

const opened: { close(): Promise<unknown> }[] = [];
const direct = new Map<Way['era'], ServerRun>();
const through = new Map<string, ServerRun>();
const connectorOf = ({ era, transport }: Way): string => `${era}-${transport.toLowerCase()}`;
const keyOf = (way: Way): string => `${connectorOf(way)}-agent-key-0123456789`;

beforeAll(async () => {
  const fixtures = await Promise.all(ERAS.flatMap((era) => [0, 1].map(() => startFixture(['--era', era]))));
  opened.push(...fixtures);
  ERAS.forEach((era, index) => direct.set(era, new ServerRun(suites, fixtures[2 * index]!.url)));
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-fixture-'));
  opened.push({ close: async () => rmSync(folder, { recursive: true, force: true }) });
  const program = await bundleProgram('test/support/fixture-server.ts', folder);
  const hub = await startTestHub({
    config: {
      connectors: Object.fromEntries(
        WAYS.map((way) => [
          connectorOf(way),
          endpointOf(way, fixtures[2 * ERAS.indexOf(way.era) + 1]!.url, program),
        ]),
      ),
      // An agent for each way: how many calls of one may wait for answers is bounded.
      agents: Object.fromEntries(WAYS.map((way) => [connectorOf(way), { keys: [keyOf(way)] }])),
      policies: ['all.cedar'],
    },
    files: { 'all.cedar': 'permit(principal, action, resource);' },
  });
  opened.push(hub);
  for (const way of WAYS) {
    const proxy = await startKeyProxy(hub.url, keyOf(way));
    opened.push(proxy);
    await waitForSync(hub, connectorOf(way), 30_000);
    through.set(connectorOf(way), new ServerRun(suites, `${proxy.url}/connectors/${connectorOf(way)}/mcp`));
  }
  // All begin at once, not only those that are waited for first.
  for (const run of through.values()) run.start(scenarios);
}, TEST_LIMIT_MS);
afterAll(async () => {
  for (const one of opened.toReversed()) await one.close();
});

/**
 * A legacy server that asks over a pipe does not say on whose behalf. The suites leave questions unanswered, so that calls
 * wait side by side: each has a process of its own.
 */
function endpointOf({ era, transport }: Way, url: string, program: string): object {
  if (transport === 'HTTP') return { url, era };
  const args = [program, '--stdio', '--era', era];
  return { command: process.execPath, args, era, ...(era === 'legacy' && { isolation: 'per_call' }) };
}

/** The fixture of one era refuses the other, so that none of its scenarios passes. */
async function passesDirectly(era: Way['era'], scenario: Scenario): Promise<boolean> {
  const wire = scenario.revision === '2026-07-28' ? 'modern' : 'legacy';
  return wire === era && (await direct.get(era)!.outcomeOf(scenario)).passed;
}

describe.each(WAYS)('a $era upstream over $transport', (way) => {
  const results: Result[] = [];

  test.each(scenarios.map((scenario) => [titleOf(scenario), scenario] as const))(
    '%s',
    async (_title, scenario) => {
      const outcome = await through.get(connectorOf(way))!.outcomeOf(scenario);
      results.push({ scenario, passed: outcome.passed });
      const required = await passesDirectly(way.era, scenario);
      expect(outcome.problems).toEqual(required ? [] : outcome.problems);
    },
    TEST_LIMIT_MS,
  );

  test('docs/conformance.md tells what this run found', () => {
    const report = renderReport({
      leg: 'server',
      versions: suites.versions,
      results,
    });
    const part = `hub, ${way.era} upstream, ${way.transport}`;
    if (process.env['CONFORMANCE_TABLE'] === 'write') writeReport(part, report);
    expect(readReport(part)).toBe(report);
  });
});
