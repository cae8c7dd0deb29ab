import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Two cores of their own, for what is measured and for what it is measured with. */
export interface Cores {
  readonly subject: number;
  readonly other: number;
}

/** Undefined where processes cannot be bound to a core, or there is only one. */
export function findCores(): Cores | undefined {
  if (process.platform !== 'linux' || spawnSync('taskset', ['--version']).status !== 0) return undefined;
  const status = readFileSync('/proc/self/status', 'utf8');
  const [subject, other] = parseCoreList(/^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '');
  return subject === undefined || other === undefined ? undefined : { subject, other };
}

/** `0-2,5` as numbers. */
export function parseCoreList(list: string): readonly number[] {
  return list.split(',').flatMap((part) => {
    const [first = '', last = first] = part.split('-');
    if (!/^\d+$/.test(first) || !/^\d+$/.test(last)) return [];
    return Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => Number(first) + i);
  });
}
