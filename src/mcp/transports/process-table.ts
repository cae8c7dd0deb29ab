import { execFile, execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** One living process. Zombies are not listed: they hold nothing but their number. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Unknown where only `ps` tells. */
  readonly session: number | undefined;
  /** Together with the pid names one process, not a later one with the same number. Only good for comparing. */
  readonly startedAt: string;
}

/** Undefined where the system lacks what reading takes: then nobody is known to be gone. */
export interface ProcessTable {
  read(): Promise<readonly ProcessEntry[] | undefined>;
  /** Blocks; for a process that is about to exit. */
  readSync(): readonly ProcessEntry[] | undefined;
}

export function createProcessTable(platform: NodeJS.Platform = process.platform): ProcessTable {
  if (platform === 'win32') return NONE;
  return shareReads(platform === 'linux' ? PROC : PS);
}

/**
 * Callers that ask at the same time share one read, which begins after they asked: closing fifty children does not
 * mean fifty walks through the table.
 */
function shareReads(table: ProcessTable): ProcessTable {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<readonly ProcessEntry[] | undefined> | undefined;
  return {
    readSync: () => table.readSync(),
    read() {
      next ??= running.then(() => {
        next = undefined;
        const reading = table.read();
        running = reading;
        return reading;
      });
      return next;
    },
  };
}

const NONE: ProcessTable = { read: async () => [], readSync: () => [] };

const PROC_PID = /^\d+$/;

/** How many files are open at once: a machine may have thousands of processes, and we fewer descriptors. */
const FILES_AT_ONCE = 16;
const EXHAUSTED: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'ENOMEM']);

class ProcTable implements ProcessTable {
  /** A descriptor to give up where there are no others: whoever cannot look would leave processes behind. */
  #spare: number | undefined;

  async read(): Promise<readonly ProcessEntry[] | undefined> {
    this.#spare ??= attempt(() => openSync('/dev/null', 'r'));
    try {
      const pids = (await readdir('/proc')).filter((name) => PROC_PID.test(name));
      const entries: ProcessEntry[] = [];
      for (let at = 0; at < pids.length; at += FILES_AT_ONCE) {
        const some = pids.slice(at, at + FILES_AT_ONCE);
        const read = await Promise.all(
          some.map((pid) => readFile(`/proc/${pid}/stat`, 'latin1').then(parseProcStat, requireGone)),
        );
        for (const entry of read) if (entry !== undefined) entries.push(entry);
      }
      return entries;
    } catch {
      return this.readSync();
    }
  }

  readSync(): readonly ProcessEntry[] | undefined {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare !== undefined) attempt(() => closeSync(spare));
    const entries = attempt(readProc);
    this.#spare = attempt(() => openSync('/dev/null', 'r'));
    return entries;
  }
}

// Module state against the rule: one spare descriptor is enough for a process.
const PROC = new ProcTable();

function readProc(): readonly ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const name of readdirSync('/proc')) {
    if (!PROC_PID.test(name)) continue;
    const entry = readEntry(name);
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

function readEntry(pid: string): ProcessEntry | undefined {
  try {
    return parseProcStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch (error) {
    return requireGone(error);
  }
}

/** The process may be gone by now, or not ours to look at. */
function requireGone(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && EXHAUSTED.has(error.code)) throw error;
}

/** proc(5): pid (comm) state ppid pgrp session … starttime is field 22. `comm` may hold blanks and parentheses. */
export function parseProcStat(stat: string): ProcessEntry | undefined {
  const [state = '', parent, group, session, ...more] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startedAt = more[15];
  const pid = Number.parseInt(stat, 10);
  if ('ZXx'.includes(state) || startedAt === undefined || !(pid > 0)) return undefined;
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), startedAt };
}

const PS_ARGS = ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='];
const PS_LIMITS = { encoding: 'utf8', timeout: 2000, maxBuffer: 16 * 1024 * 1024 } as const;

const PS: ProcessTable = {
  async read() {
    const listed = await promisify(execFile)('ps', PS_ARGS, PS_LIMITS).catch(() => undefined);
    return listed && parsePs(listed.stdout);
  },
  readSync: () =>
    attempt(() =>
      parsePs(execFileSync('ps', PS_ARGS, { ...PS_LIMITS, stdio: ['ignore', 'pipe', 'ignore'] })),
    ),
};

export function parsePs(output: string): readonly ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const line of output.split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+([^Z\s]\S*)\s+(\S.*?)\s*$/.exec(line);
    if (match === null) continue;
    const [, pid, parent, group, , startedAt = ''] = match;
    entries.push({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: undefined,
      startedAt,
    });
  }
  return entries;
}

function attempt<Value>(action: () => Value): Value | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
