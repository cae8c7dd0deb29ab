import { readdirSync, readFileSync } from 'node:fs';

/** How many processes of this machine were started with this argument. */
export function processesWith(argument: string): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(argument);
    } catch {
      return false;
    }
  }).length;
}
