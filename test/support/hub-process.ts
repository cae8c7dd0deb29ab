import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../../scripts/repository.js';
import { HUB_PROGRAM } from './hub-program.js';

export interface HubProcess {
  readonly url: string;
  /** The printed link that signs a browser in. */
  readonly consoleUrl: string;
  readonly pid: number;
  /** Null: it runs, or a signal ended it. */
  readonly exitCode: () => number | null;
  readonly localKey: string;
  readonly adminToken: string;
  /** What it wrote to its log so far. */
  readonly log: readonly string[];
  /** As if the power went: nothing gets a chance to finish. */
  kill(): Promise<void>;
  /** Asks it to end, and waits. May be called twice, also after `kill`. */
  close(): Promise<void>;
}

const START_LIMIT_MS = 60_000;
const END_LIMIT_MS = 15_000;

interface Surroundings {
  /** A command that starts the one after it, such as one that makes it another user's. */
  readonly launcher?: readonly string[];
  /** Beside the variables of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The hub as a program, with its configuration and data in this folder. */
export async function startHubProcess(
  folder: string,
  config: object,
  program: readonly string[] = HUB_PROGRAM,
  flags: readonly string[] = [],
  { launcher = [], environment }: Surroundings = {},
): Promise<HubProcess> {
  writeFileSync(join(folder, 'crosspoint.json'), JSON.stringify(config));
  const data = join(folder, 'data');
  const args = [
    'serve',
    '--config',
    join(folder, 'crosspoint.json'),
    '--data',
    data,
    '--port',
    '0',
    '--log-format',
    'json',
    ...flags,
  ];
  const [command = process.execPath, ...rest] = [...launcher, process.execPath, ...program, ...args];
  const child = spawn(command, rest, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(environment !== undefined && { env: { ...process.env, ...environment } }),
  });
  const ended = once(child, 'exit');
  const log: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => log.push(line));
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    const late = setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS);
    await ended;
    clearTimeout(late);
  };
  try {
    const { url, consoleUrl, pid } = await readReady(child, ended, log);
    const read = (name: string): string => readFileSync(join(data, name), 'utf8').trim();
    return {
      url,
      consoleUrl,
      pid,
      exitCode: () => child.exitCode,
      localKey: read('local.token'),
      adminToken: read('admin.token'),
      log,
      kill: () => end('SIGKILL'),
      close: () => end('SIGTERM'),
    };
  } catch (error) {
    await end('SIGKILL');
    throw error;
  }
}

type Ready = Pick<HubProcess, 'url' | 'consoleUrl' | 'pid'>;

async function readReady(
  child: ChildProcess,
  ended: Promise<unknown>,
  log: readonly string[],
): Promise<Ready> {
  const lines = createInterface({ input: child.stdout! });
  const gone = ended.then(() =>
    Promise.reject(new Error(`the hub ended before it was ready: ${log.join('\n')}`)),
  );
  const [line] = (await Promise.race([
    once(lines, 'line', { signal: AbortSignal.timeout(START_LIMIT_MS) }),
    gone,
  ])) as [string];
  return JSON.parse(line) as Ready;
}
