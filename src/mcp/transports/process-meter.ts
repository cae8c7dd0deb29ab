import { readFile } from 'node:fs/promises';

import type { ProcessTree } from './process-tree.js';

/** Of a child and all its descendants together. Zero: any amount. */
export interface ProcessLimits {
  /** Resident memory. Pages that several processes share count for each of them. */
  readonly memoryBytes: number;
  /** Processor time since the start. */
  readonly cpuSeconds: number;
  readonly processes: number;
}

export interface ProcessUsage {
  readonly memoryBytes: number;
  readonly cpuSeconds: number;
}

export interface ProcessMeterOptions {
  readonly tree: Pick<ProcessTree, 'pids' | 'survey'>;
  readonly limits: ProcessLimits;
  /** Called at most once, with what was used too much of. */
  readonly onOver: (what: string) => void;
}

const LOOK_MS = 250;
/** Looking for new descendants means reading the whole process table. */
const LOOKS_PER_SURVEY = 4;

/**
 * Looks how much a child uses. Limits of the system would not do: that of address space ends programs that only reserve
 * it, as Node does, and that of processes counts all of the user's.
 */
export class ProcessMeter {
  readonly #options: ProcessMeterOptions;
  #timer: NodeJS.Timeout | undefined;
  #looks = 0;
  #stopped = false;

  constructor(options: ProcessMeterOptions) {
    this.#options = options;
    this.#wait();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #wait(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const { tree, limits, onOver } = this.#options;
    if (this.#looks++ % LOOKS_PER_SURVEY === 0) await tree.survey();
    const usages = await Promise.all(tree.pids().map(readUsage));
    if (this.#stopped) return;
    const over = findExcess(
      usages.filter((usage) => usage !== undefined),
      limits,
    );
    if (over === undefined) return this.#wait();
    this.stop();
    onOver(over);
  }
}

export function findExcess(usages: readonly ProcessUsage[], limits: ProcessLimits): string | undefined {
  const sum = (field: keyof ProcessUsage) => usages.reduce((total, usage) => total + usage[field], 0);
  const { memoryBytes, cpuSeconds, processes } = limits;
  if (memoryBytes > 0 && sum('memoryBytes') > memoryBytes) return `more memory than ${memoryBytes} bytes`;
  if (cpuSeconds > 0 && sum('cpuSeconds') > cpuSeconds) return `more than ${cpuSeconds} s of processor time`;
  return processes > 0 && usages.length > processes ? `more processes than ${processes}` : undefined;
}

/** Undefined for one that is gone. */
async function readUsage(pid: number): Promise<ProcessUsage | undefined> {
  try {
    const [status, stat] = await Promise.all([
      readFile(`/proc/${pid}/status`, 'latin1'),
      readFile(`/proc/${pid}/stat`, 'latin1'),
    ]);
    return parseUsage(status, stat);
  } catch {
    return undefined;
  }
}

/** The unit of times in `/proc`, the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** proc(5): fields 14 to 17 of `stat` are the times of the process and of descendants it has waited for. */
export function parseUsage(status: string, stat: string): ProcessUsage {
  const kibibytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((total, field) => total + Number(field), 0);
  return { memoryBytes: kibibytes * 1024, cpuSeconds: ticks / TICKS_PER_SECOND };
}
