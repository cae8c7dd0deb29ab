import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Suites } from '../../scripts/conformance-setup.js';
import { ROOT } from '../../scripts/repository.js';
import type { Scenario } from './scenarios.js';

/** What the suite tests: a server that is running, or a client program to which it appends a URL. */
export type Target =
  | { readonly leg: 'server'; readonly url: string }
  | { readonly leg: 'client'; readonly command: string };

export interface Outcome {
  readonly passed: boolean;
  readonly successes: number;
  /** What went wrong, one line each; empty when passed. */
  readonly problems: readonly string[];
}

/** Both suites write an array of these to `checks.json`. */
export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
  readonly errorMessage?: string;
}

const SCENARIO_LIMIT_MS = 30_000;
/** Beyond the suite's own limit, for its start and for scenarios where it has none. */
const PROCESS_LIMIT_MS = SCENARIO_LIMIT_MS + 15_000;
const KEPT_OUTPUT = 4_000;
const COMPILED = join(ROOT, 'node_modules', '.cache', 'crosspoint-conformance-compiled');

/** Runs one scenario in a process of its own and judges its checks. */
export async function runScenario(suites: Suites, scenario: Scenario, target: Target): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  try {
    const args = [suites.programs[scenario.line], ...scenarioArguments(scenario, target, folder)];
    const { exitCode, output } = await runGroup(suites.node, args);
    return judge(await readChecks(folder), exitCode, output);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Stricter than the suites: a scenario in which nothing succeeded, or anything was warned about, did not pass. */
export function judge(
  checks: readonly Check[] | undefined,
  exitCode: number | undefined,
  output: string,
): Outcome {
  if (checks === undefined) {
    return { passed: false, successes: 0, problems: [`the suite wrote no checks: ${output}`] };
  }
  const successes = checks.filter((check) => check.status === 'SUCCESS').length;
  const problems = checks
    .filter((check) => check.status === 'FAILURE' || check.status === 'WARNING')
    .map((check) => `${check.status} ${check.id}: ${check.errorMessage ?? ''}`);
  if (successes === 0) problems.push('no check succeeded');
  if (exitCode === undefined) problems.push(`the suite did not end in time: ${output}`);
  // Covers what is in no check: a client that failed or did not end.
  else if (exitCode !== 0 && problems.length === 0)
    problems.push(`the suite ended with ${exitCode}: ${output}`);
  return { passed: problems.length === 0, successes, problems };
}

function scenarioArguments(scenario: Scenario, target: Target, folder: string): readonly string[] {
  const subject = target.leg === 'server' ? ['--url', target.url] : ['--command', target.command];
  const args = [target.leg, ...subject, '--scenario', scenario.name, '--output-dir', folder];
  if (scenario.line === '0.1')
    return target.leg === 'client' ? [...args, '--timeout', `${SCENARIO_LIMIT_MS}`] : args;
  // What `--requirements` does for each of its scenarios: that revision's wire, also for extensions, which have none.
  return [...args, '--timeout', `${SCENARIO_LIMIT_MS}`, '--spec-version', scenario.revision, '--force'];
}

async function readChecks(folder: string): Promise<readonly Check[] | undefined> {
  const names = await readdir(folder, { recursive: true });
  const file = names.find((name) => name.endsWith('checks.json'));
  if (file === undefined) return undefined;
  return JSON.parse(await readFile(join(folder, file), 'utf8')) as readonly Check[];
}

interface GroupOutcome {
  /** Undefined when the process had to be ended. */
  readonly exitCode: number | undefined;
  /** The last of what it wrote. */
  readonly output: string;
}

/** The suite starts clients through a shell, so a time-out has to end the whole process group. */
export function runGroup(
  command: string,
  args: readonly string[],
  limitMs = PROCESS_LIMIT_MS,
): Promise<GroupOutcome> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      // It is started for each scenario of a client: what is compiled once saves each of them a tenth of a second.
      env: { ...process.env, NODE_COMPILE_CACHE: COMPILED },
    });
    let output = '';
    let ended = false;
    const collect = (chunk: string): void => {
      output = (output + chunk).slice(-KEPT_OUTPUT);
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    const timer = setTimeout(() => {
      ended = true;
      endGroup(child.pid);
    }, limitMs);
    child.once('error', (error) => collect(error.message));
    child.once('close', (code) => {
      clearTimeout(timer);
      endGroup(child.pid);
      resolve({ exitCode: ended ? undefined : (code ?? 1), output });
    });
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The whole group has ended by itself.
  }
}
