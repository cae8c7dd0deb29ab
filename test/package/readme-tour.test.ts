import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRepositoryFile, ROOT } from '../../scripts/repository.js';
import { runNpm, runProgram, type ProgramOutcome } from '../../scripts/run-program.js';
import { codeBlocksOf } from '../documents.js';
import { sectionOf } from '../document-tables.js';

const PROGRAM = join(ROOT, 'dist/cli/index.js');
const PREFIX = 'npx crosspoint ';
const START_LIMIT_MS = 60_000;

const tour = codeBlocksOf(sectionOf(readRepositoryFile('README.md'), 'Five minutes'));
const commands = tour
  .filter(({ language }) => language === 'sh')
  .flatMap(({ text }) => text.trim().split('\n'));
const folder = mkdtempSync(join(tmpdir(), 'crosspoint-tour-'));
let hub: ChildProcess | undefined;

function expectDone({ exitCode, output }: ProgramOutcome): void {
  expect(exitCode, output).toBe(0);
}

/** What a line of the tour prints, once it has ended well. No line of it needs a shell. */
async function run(line: string): Promise<string> {
  expect(line).toMatch(new RegExp(`^${PREFIX}[\\w ./@=:-]+$`));
  const args = line.slice(PREFIX.length).split(' ');
  const outcome = await runProgram(process.execPath, [PROGRAM, ...args], { cwd: folder });
  expectDone(outcome);
  return outcome.output;
}

/** Files of the tour begin with a comment that has their name. */
function writeFiles(): void {
  for (const { text } of tour.filter(({ language }) => language === 'cedar')) {
    writeFileSync(join(folder, /^\/\/ (\S+\.cedar)\n/.exec(text)?.[1] ?? 'nameless'), text);
  }
}

/** The first line it prints. */
async function startHub(): Promise<string> {
  hub = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: hub.stdout! });
  const [first] = (await once(lines, 'line', { signal: AbortSignal.timeout(START_LIMIT_MS) })) as [string];
  return first;
}

beforeAll(async () => {
  // A whole test run has just built it.
  if (process.env['CROSSPOINT_TEST_BUILT'] !== '1') expectDone(await runNpm(['run', '--silent', 'build']));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFiles();
});

afterAll(async () => {
  if (hub !== undefined && hub.exitCode === null) {
    hub.kill('SIGKILL');
    await once(hub, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
});

test('the tour of README.md works as it is written', async () => {
  expect(await startHub()).toBe('Crosspoint is ready.');
  const printed: Record<string, string> = {};
  for (const line of commands) printed[line] = await run(line);
  const outputOf = (beginning: string) =>
    printed[commands.find((line) => line.startsWith(PREFIX + beginning)) ?? ''];
  expect(outputOf('call sample__echo')).toContain('hello');
  expect(outputOf('tools')).toContain('sample__add');
  expect(outputOf('connector add everything')).toContain("Discovered 16 tools from 'everything'.");
  expect(outputOf('call everything__get-sum')).toContain('42');
  expect(outputOf('tools --agent ci')).toContain('everything__echo');
  expect(outputOf('tools --agent ci')).not.toContain('everything__toggle-simulated-logging');
  expect(outputOf('policy explain')).toContain('deny: ci may not call everything__toggle-simulated-logging.');
  expect(outputOf('agent key add ci')).toMatch(/^cpk_\S{43}$/m);
  expect(outputOf('events --limit')).toContain('key.added');
  expect(outputOf('events verify')).toContain('The event log is whole');
  hub?.kill('SIGTERM');
  expect(await once(hub!, 'exit')).toEqual([0, null]);
});
