import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../../scripts/repository.js';
import { startPostgres } from './postgres.js';
import { startRedis } from './redis.js';

/** What `deploy/compose` starts in containers, as processes of this machine: nginx, replicas, Postgres, Redis. */
export interface Topology {
  /** The balancer's. */
  readonly url: string;
  readonly key: string;
  readonly adminToken: string;
  readonly replicas: readonly Replica[];
  close(): Promise<void>;
}

export interface Replica {
  readonly url: string;
  start(): Promise<void>;
  /** Lets it end by itself. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export interface TopologyOptions {
  readonly replicas: number;
  /** How the hub is run; by default as built. */
  readonly program?: readonly string[];
}

const READY_MS = 60_000;

export async function startTopology({
  replicas: count,
  program = [join(ROOT, 'dist', 'cli', 'index.js')],
}: TopologyOptions): Promise<Topology> {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-topology-'));
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  const secret = (): string => randomBytes(32).toString('hex');
  const key = secret();
  const adminToken = secret();
  const ports = await freePorts(count + 1);
  const port = ports[count] as number;
  const url = `http://127.0.0.1:${port}`;
  writeFileSync(join(folder, 'all.cedar'), 'permit(principal, action, resource);');
  writeFileSync(join(folder, 'crosspoint.json'), JSON.stringify(configuration()));
  const environment = {
    ...process.env,
    TOPOLOGY_KEY: key,
    CROSSPOINT_PUBLIC_URL: url,
    CROSSPOINT_ADMIN_TOKEN: adminToken,
    CROSSPOINT_MASTER_KEY: randomBytes(32).toString('base64'),
    CROSSPOINT_STORAGE_URL: await postgres.createSchema(),
    CROSSPOINT_COORDINATION_URL: redis.url,
  };
  const replicas = ports.slice(0, count).map((own) => {
    const data = join(folder, `data-${own}`);
    const args = [
      'serve',
      '--config',
      join(folder, 'crosspoint.json'),
      '--data',
      data,
      '--port',
      String(own),
    ];
    return createReplica(own, [...program, ...args, '--log-format', 'json'], environment);
  });
  let nginx: ChildProcess | undefined;
  const close = async (): Promise<void> => {
    if (nginx !== undefined) await end(nginx, 'SIGTERM');
    await Promise.all(replicas.map((replica) => replica.stop()));
    await redis.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all(replicas.map((replica) => replica.start()));
    nginx = startNginx(join(folder, 'nginx'), port, ports.slice(0, count));
    await untilReady(url);
    return { url, key, adminToken, replicas, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function configuration(): object {
  const sample = join(ROOT, 'examples', 'sample-server.mjs');
  return {
    agents: { ci: { keys: ['${env:TOPOLOGY_KEY}'] } },
    policies: ['./all.cedar'],
    connectors: { sample: { command: process.execPath, args: [sample] } },
  };
}

/** The published file with what containers have and processes have not taken out. */
function startNginx(folder: string, port: number, replicas: readonly number[]): ChildProcess {
  mkdirSync(folder, { recursive: true });
  const servers = replicas.map((one) => `server 127.0.0.1:${one} max_fails=0;`).join(' ');
  const file = join(folder, 'nginx.conf');
  const text = readFileSync(join(ROOT, 'deploy', 'compose', 'nginx.conf'), 'utf8')
    .replace(/server hub:8080 [^;]*;/, servers)
    .replace(/resolver [^;]*;/, '')
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
    .replace('/tmp/nginx.pid', join(folder, 'nginx.pid'));
  writeFileSync(file, text);
  return spawn('nginx', ['-c', file, '-p', folder, '-e', 'stderr', '-g', 'daemon off;'], { stdio: 'ignore' });
}

function createReplica(port: number, args: readonly string[], env: NodeJS.ProcessEnv): Replica {
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  const stopBy = async (signal: NodeJS.Signals): Promise<void> => {
    if (child !== undefined) await end(child, signal);
    child = undefined;
  };
  return {
    url,
    async start() {
      child = spawn(process.execPath, args, { env, stdio: 'ignore' });
      await untilReady(url);
    },
    stop: () => stopBy('SIGTERM'),
    kill: () => stopBy('SIGKILL'),
  };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  const late = setTimeout(() => child.kill('SIGKILL'), 20_000);
  await ended;
  clearTimeout(late);
}

async function untilReady(url: string): Promise<void> {
  const deadline = Date.now() + READY_MS;
  while (Date.now() < deadline) {
    const answer = await fetch(`${url}/ready`).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok === true) return;
    await sleep(50);
  }
  throw new Error(`${url} was not ready in time`);
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map((server) => once(server.listen(0, '127.0.0.1'), 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
