import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureSuites } from '../../scripts/conformance-setup.js';
import { ROOT } from '../../scripts/repository.js';
import { bundleProgram } from '../support/bundle-program.js';
import { startFixture, type RunningFixture } from '../support/start-fixture.js';
import { describeLeg } from './describe-leg.js';
import { listScenarios } from './list-scenarios.js';
import { runScenario } from './run-scenario.js';
import { ServerRun } from './run-suite.js';
import { Slots } from './slots.js';

const suites = await ensureSuites();
/** Each run is a process with one or two more behind it; more at once only makes time limits unsteady. */
const slots = new Slots(2);
const caches = join(ROOT, 'node_modules', '.cache');
mkdirSync(caches, { recursive: true });
/** From where packages are found. */
const folder = mkdtempSync(join(caches, 'crosspoint-conformance-'));
/** What `npm run -s conformance:client --` runs, without the seconds that npm and the compiler take to start. */
let client = '';
let fixture: RunningFixture | undefined;
let server: ServerRun | undefined;

beforeAll(async () => {
  const program = await bundleProgram('scripts/conformance-client.ts', folder, { packages: 'outside' });
  client = [process.execPath, program].map(quote).join(' ');
  fixture = await startFixture();
  server = new ServerRun(suites, fixture.url);
});
afterAll(async () => {
  await fixture?.close();
  rmSync(folder, { recursive: true, force: true });
});

const clientScenarios = await listScenarios(suites, 'client');

describeLeg({
  leg: 'server',
  suites,
  scenarios: await listScenarios(suites, 'server'),
  outcomeOf: (scenario) => server!.outcomeOf(scenario),
});

describeLeg({
  leg: 'client',
  suites,
  scenarios: clientScenarios,
  outcomeOf: (scenario) => slots.run(() => runScenario(suites, scenario, { leg: 'client', command: client })),
});

test('the client driver runs under the command that is documented for the suite', async () => {
  const scenario = clientScenarios.find(
    ({ name, revision }) => name === 'tools_call' && revision === '2026-07-28',
  );
  const outcome = await runScenario(suites, scenario!, {
    leg: 'client',
    command: 'npm run -s conformance:client --',
  });
  expect(outcome.problems).toEqual([]);
});

/** The suite hands the command to a shell. */
function quote(word: string): string {
  return /^[\w./:-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
