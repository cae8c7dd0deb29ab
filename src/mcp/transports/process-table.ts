import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
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

export interface ProcessTable {
  read(): Promise<readonly ProcessEntry[]>;
  /** Blocks; for a process that is about to exit. */
  readSync(): readonly ProcessEntry[];
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
  let next: Promise<readonly ProcessEntry[]> | undefined;
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

const PROC: ProcessTable = {
  async read() {
    const names = await readdir('/proc').catch(() => []);
    const entries = await Promise.all(
      names
        .filter((name) => PROC_PID.test(name))
        .map((pid) =>
          // The process may be gone by now.
          readFile(`/proc/${pid}/stat`, 'latin1').then(parseProcStat, () => undefined),
        ),
    );
    return entries.filter((entry) => entry !== undefined);
  },
  readSync() {
    const entries: ProcessEntry[] = [];
    for (const name of attempt(() => readdirSync('/proc')) ?? []) {
      if (!PROC_PID.test(name)) continue;
      const stat = attempt(() => readFileSync(`/proc/${name}/stat`, 'latin1'));
      const entry = stat === undefined ? undefined : parseProcStat(stat);
      if (entry !== undefined) entries.push(entry);
    }
    return entries;
  },
};

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
    const listed = await promisify(execFile)('ps', PS_ARGS, PS_LIMITS).catch(() => ({ stdout: '' }));
    return parsePs(listed.stdout);
  },
  readSync: () =>
    parsePs(
      attempt(() => execFileSync('ps', PS_ARGS, { ...PS_LIMITS, stdio: ['ignore', 'pipe', 'ignore'] })) ?? '',
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
