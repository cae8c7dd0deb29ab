import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { ROOT } from '../../scripts/repository.js';

export interface RunningServer {
  readonly url: string;
  /** Asks it to end and returns its exit code, or the signal that ended it. May be called twice. */
  close(): Promise<number | string>;
}

const START_LIMIT_MS = 30_000;
const END_LIMIT_MS = 10_000;

/** Starts a program that prints the URL it serves. `entry` is a path in the repository. */
export async function startServer(entry: string, args: readonly string[] = []): Promise<RunningServer> {
  // The loader resolves the entry points of the package to its sources, so nothing has to be built.
  const child = spawn(process.execPath, ['--import', 'tsx', entry, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit').then(([code, signal]: unknown[]) => (code ?? signal) as number | string);
  const close = async (): Promise<number | string> => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS);
    const how = await ended;
    clearTimeout(timer);
    return how;
  };
  try {
    const signal = AbortSignal.timeout(START_LIMIT_MS);
    const gone = ended.then((how) => Promise.reject(new Error(`${entry} ended too early: ${how}`)));
    const line = once(createInterface({ input: child.stdout }), 'line', { signal });
    const [text] = (await Promise.race([line, gone])) as [string];
    const url = /http:\S+/.exec(text)?.[0];
    if (url === undefined) throw new Error(`${entry} printed no URL but: ${text}`);
    return { url, close };
  } catch (error) {
    await close();
    throw error;
  }
}
