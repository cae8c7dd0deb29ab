import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { createProcessTable, parseProcStat, type ProcessEntry, type ProcessTable } from './process-table.js';

/** Names one process for as long as the machine runs: numbers are used again, this is not. */
export interface ProcessMark {
  readonly pid: number;
  /** In units of the system; only good for comparing. */
  readonly startedAt: string;
}

/** Undefined where the process is gone, or the system does not tell. */
export function markProcess(pid: number): ProcessMark | undefined {
  try {
    const entry = parseProcStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
    return entry && { pid, startedAt: entry.startedAt };
  } catch {
    return undefined;
  }
}

export interface EndLeftBehindOptions {
  readonly table?: ProcessTable;
  readonly kill?: (pid: number, signal: NodeJS.Signals) => void;
  /** Between asking and killing. */
  readonly graceMs?: number;
}

const GRACE_MS = 1_000;

/**
 * Ends what is left of processes that a hub started which is no more, with all who are still in their groups and
 * sessions, and all who descend from these. Returns how many there were. Never rejects.
 */
export async function endLeftBehind(
  marks: readonly ProcessMark[],
  options: EndLeftBehindOptions = {},
): Promise<number> {
  const { table = createProcessTable(), kill = process.kill.bind(process), graceMs = GRACE_MS } = options;
  const send = (entries: readonly ProcessEntry[], signal: NodeJS.Signals): void => {
    for (const { pid } of entries) {
      try {
        kill(pid, signal);
      } catch {
        // Gone by now, or not ours to signal.
      }
    }
  };
  const first = findLeftBehind(marks, (await table.read()) ?? []);
  if (first.length === 0) return 0;
  send(first, 'SIGTERM');
  await sleep(graceMs);
  // Also those who can no longer be traced, because their parents heeded the first signal.
  const known = new Set(first.map(({ pid, startedAt }) => `${pid} ${startedAt}`));
  const now = (await table.read()) ?? [];
  const traced = new Set(findLeftBehind(marks, now));
  send(
    now.filter((entry) => traced.has(entry) || known.has(`${entry.pid} ${entry.startedAt}`)),
    'SIGKILL',
  );
  return first.length;
}

/**
 * Each was the first of its session. While anybody is left in that, the system gives its number to nobody else; so whoever
 * is in it and not older belongs to it, unless the number is a later process's by now.
 */
function findLeftBehind(
  marks: readonly ProcessMark[],
  entries: readonly ProcessEntry[],
): readonly ProcessEntry[] {
  const byPid = new Map(entries.map((entry) => [entry.pid, entry]));
  const found = new Set(
    marks.flatMap(({ pid, startedAt }) => {
      const leader = byPid.get(pid);
      if (leader !== undefined && leader.startedAt !== startedAt) return [];
      return entries.filter(
        (entry) =>
          (entry.group === pid || entry.session === pid) && Number(entry.startedAt) >= Number(startedAt),
      );
    }),
  );
  // A set that grows is walked to its new end.
  for (const { pid } of found)
    for (const entry of entries) if (entry.parent === pid && entry.pid !== process.pid) found.add(entry);
  return [...found];
}
