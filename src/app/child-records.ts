import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endLeftBehind, markProcess, type ProcessMark } from '../mcp/transports/index.js';
import type { ChildGuard } from './child-guard.js';

/**
 * Which processes this hub has started, on disk and with a guard: should it be killed, the guard ends those that did not
 * notice, and the next hub whatever the guard did not. Each hub has a folder of its own, named after its process, with an
 * empty file for each child.
 */
export class ChildRecords {
  readonly #folder: string;
  readonly #guard: ChildGuard | undefined;
  readonly #own: string | undefined;
  readonly #boot: string;

  /** Without a system that tells processes apart, nothing is recorded. */
  constructor(folder: string, guard?: ChildGuard) {
    this.#folder = folder;
    this.#guard = guard;
    this.#boot = bootId();
    const mark = markProcess(process.pid);
    this.#own = mark && join(folder, `${this.#boot}-${nameOf(mark)}`);
  }

  /** A folder that is removed with this hub, or by the next one. */
  get folder(): string | undefined {
    return this.#own;
  }

  /** Returns what forgets it again. Never throws: a process that is not on record is no worse off than before. */
  record(started: ProcessMark): () => void {
    if (this.#own === undefined) return () => {};
    const file = join(this.#own, nameOf(started));
    attempt(() => {
      mkdirSync(this.#own ?? '', { recursive: true, mode: 0o700 });
      writeFileSync(file, '', { mode: 0o600 });
    });
    this.#guard?.add(started.pid);
    return () => {
      this.#guard?.remove(started.pid);
      attempt(() => rmSync(file, { force: true }));
    };
  }

  /** Ends what hubs left behind that are no more. Returns how many processes that were. */
  async endLeftBehind(): Promise<number> {
    const gone = this.#foldersOfTheGone();
    const marks = gone.filter(({ boot }) => boot === this.#boot).flatMap(({ path }) => marksIn(path));
    const ended = await endLeftBehind(marks);
    for (const { path } of gone) attempt(() => rmSync(path, { recursive: true, force: true }));
    return ended;
  }

  close(): void {
    this.#guard?.close();
    const own = this.#own;
    if (own !== undefined) attempt(() => rmSync(own, { recursive: true, force: true }));
  }

  #foldersOfTheGone(): readonly { readonly path: string; readonly boot: string }[] {
    const names = attempt(() => readdirSync(this.#folder)) ?? [];
    return names.flatMap((name) => {
      const boot = name.slice(0, this.#boot.length);
      const hub = markIn(name.slice(this.#boot.length + 1));
      const lives = hub !== undefined && markProcess(hub.pid)?.startedAt === hub.startedAt;
      return boot === this.#boot && lives ? [] : [{ path: join(this.#folder, name), boot }];
    });
  }
}

function nameOf({ pid, startedAt }: ProcessMark): string {
  return `${pid}-${startedAt}`;
}

function markIn(name: string): ProcessMark | undefined {
  const [, pid, startedAt] = /^(\d+)-(\d+)$/.exec(name) ?? [];
  return pid === undefined || startedAt === undefined ? undefined : { pid: Number(pid), startedAt };
}

function marksIn(folder: string): readonly ProcessMark[] {
  const names = attempt(() => readdirSync(folder)) ?? [];
  return names.map((name) => markIn(name)).filter((mark) => mark !== undefined);
}

/** Numbers and times of processes mean something only between two starts of the machine. */
function bootId(): string {
  const id = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? 'unknown';
  return id.slice(0, 8);
}

function attempt<Value>(action: () => Value): Value | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
