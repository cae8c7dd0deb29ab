import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../../scripts/repository.js';

export interface RunningFixture {
  readonly url: string;
  /** Ends the process. May be called twice. */
  close(): Promise<void>;
}

/** How to start the fixture server on the Node that runs the tests. */
export const FIXTURE_COMMAND = process.execPath;
export const FIXTURE_ARGUMENTS: readonly string[] = [
  '--import',
  'tsx',
  join(ROOT, 'test', 'support', 'fixture-server.ts'),
];

const START_LIMIT_MS = 30_000;
const END_LIMIT_MS = 5_000;

/** Starts the fixture server in a process of its own, on a free port. */
export async function startFixture(args: readonly string[] = []): Promise<RunningFixture> {
  const child = spawn(FIXTURE_COMMAND, [...FIXTURE_ARGUMENTS, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const close = async (): Promise<void> => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS);
    await ended;
    clearTimeout(timer);
  };
  try {
    const lines = createInterface({ input: child.stdout });
    const signal = AbortSignal.timeout(START_LIMIT_MS);
    const gone = ended.then(() =>
      Promise.reject(new Error('the fixture server ended before it was listening')),
    );
    const [line] = (await Promise.race([once(lines, 'line', { signal }), gone])) as [string];
    return { url: line, close };
  } catch (error) {
    await close();
    throw error;
  }
}
