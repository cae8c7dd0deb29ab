import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from './free-port.js';

export interface TestRedis {
  readonly url: string;
  readonly password: string;
  /** Without the password. */
  readonly address: string;
  /** For looking past the hub. */
  command(name: string, ...args: readonly string[]): Promise<unknown>;
  /** Ends without a word to anybody; it keeps nothing. */
  kill(): Promise<void>;
  /** After `kill`, at the same address. */
  start(): Promise<void>;
  /** Accepts connections and answers nothing until it is continued. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

const READY_MS = 15_000;
const INSTALL_MS = 180_000;

/** A real server on a port of its own that keeps nothing. Throws if there is none to be had: a suite that skips it proves nothing. */
export async function startRedis(): Promise<TestRedis> {
  const program = findServer() ?? installServer();
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-redis-'));
  const port = await freePort();
  const password = randomBytes(12).toString('hex');
  const url = `redis://:${password}@127.0.0.1:${port}`;
  const launch = async (): Promise<ChildProcess> => {
    const child = spawn(
      program,
      [
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--save',
        '',
        '--appendonly',
        'no',
        '--dir',
        folder,
      ].concat(['--requirepass', password]),
      { stdio: 'ignore' },
    );
    child.on('error', () => {});
    await ready(url, child);
    return child;
  };
  let server = await launch();
  const kill = () => void server.kill('SIGKILL');
  process.once('exit', kill);
  const end = async () => {
    server.kill('SIGKILL');
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
  };
  return {
    url,
    password,
    address: `redis://127.0.0.1:${port}`,
    command: (name, ...args) => withClient(url, (client) => client.call(name, ...args)),
    kill: end,
    async start() {
      server = await launch();
    },
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    async stop() {
      await end();
      process.off('exit', kill);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function findServer(): string | undefined {
  return ['/usr/bin', '/usr/local/bin', ...(process.env['PATH'] ?? '').split(delimiter)]
    .map((folder) => join(folder, 'redis-server'))
    .find((path) => existsSync(path));
}

function installServer(): string {
  const wait = ['-o', 'DPkg::Lock::Timeout=120'];
  const steps = [
    ['update', ...wait],
    ['install', '-y', '--no-install-recommends', ...wait, 'redis-server'],
  ];
  for (const step of steps)
    spawnSync('apt-get', step, {
      timeout: INSTALL_MS,
      stdio: 'ignore',
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  const found = findServer();
  if (found === undefined) throw new Error('there is no redis-server, and it could not be installed');
  return found;
}

async function withClient<Result>(url: string, work: (client: Redis) => Promise<Result>): Promise<Result> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    client.disconnect();
  }
}

async function ready(url: string, server: ChildProcess): Promise<void> {
  const deadline = performance.now() + READY_MS;
  for (;;) {
    try {
      await withClient(url, (client) => client.ping());
      return;
    } catch (error) {
      if (server.exitCode !== null || performance.now() > deadline)
        throw new Error('Redis did not start', { cause: error });
      await sleep(20);
    }
  }
}
