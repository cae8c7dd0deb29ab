import type { ProcessMark } from './left-behind.js';
import type { ProcessEntry, ProcessTable } from './process-table.js';

/** A child and everything that descends from it, as far as it can be seen and signalled. */
export interface ProcessTree {
  readonly pid: number;
  /** The child was reaped: from now on its number may belong to someone else. */
  rootExited(): void;
  /**
   * Whether anyone is left, or may be. Remembers descendants, because they cannot be traced once their parent has died.
   * Never rejects.
   */
  survey(): Promise<boolean>;
  /** Everyone the last survey saw, and the child. */
  pids(): readonly number[];
  /** To everyone the last survey saw. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Kills everyone without waiting, for a process that is about to exit. `entries` is the process table of now, if known. */
  killNow(entries: readonly ProcessEntry[] | undefined): void;
}

export interface PosixProcessTreeOptions {
  /** Leader of its own process group and session. */
  readonly pid: number;
  readonly table: ProcessTable;
  /** Called with the first of each session that descendants have begun. What it returns is called when that is empty. */
  readonly onSession?: ((first: ProcessMark) => () => void) | undefined;
  readonly kill?: (pid: number, signal: NodeJS.Signals) => void;
}

/**
 * The group and session of the child, plus descendants that left both. Members are known by number and start time, so
 * a number that was given to another process in the meantime is never signalled.
 */
export class PosixProcessTree implements ProcessTree {
  readonly pid: number;
  readonly #table: ProcessTable;
  readonly #kill: (pid: number, signal: NodeJS.Signals) => void;
  readonly #onSession: PosixProcessTreeOptions['onSession'];
  /** What forgets the sessions that descendants have begun, by number. */
  readonly #sessions = new Map<number, () => void>();
  /** Living members besides the child itself, by number. */
  #members: ReadonlyMap<number, ProcessEntry> = new Map();
  #rootExited = false;

  constructor(options: PosixProcessTreeOptions) {
    this.pid = options.pid;
    this.#table = options.table;
    this.#onSession = options.onSession;
    this.#kill = options.kill ?? ((pid, signal) => process.kill(pid, signal));
  }

  rootExited(): void {
    this.#rootExited = true;
  }

  async survey(): Promise<boolean> {
    const exitedBefore = this.#rootExited;
    const entries = await this.#table.read();
    if (entries === undefined) return true;
    this.#update(entries, exitedBefore);
    return !this.#rootExited || this.#members.size > 0;
  }

  pids(): readonly number[] {
    return this.#rootExited ? [...this.#members.keys()] : [this.pid, ...this.#members.keys()];
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    let inGroup = !this.#rootExited;
    for (const member of this.#members.values()) {
      if (member.group === this.pid) inGroup = true;
      else this.#send(member.pid, signal);
    }
    // Not without a member of it in sight: the number of an empty group may be someone else's by now.
    if (inGroup) this.#send(-this.pid, signal);
  }

  killNow(entries: readonly ProcessEntry[] | undefined): void {
    if (entries !== undefined) this.#update(entries, this.#rootExited);
    this.signal('SIGKILL');
  }

  #update(entries: readonly ProcessEntry[], rootExitedBefore: boolean): void {
    const members = new Map<number, ProcessEntry>();
    const children = new Map<number, ProcessEntry[]>();
    const numberReused = rootExitedBefore && entries.some((entry) => entry.pid === this.pid);
    for (const entry of entries) {
      const siblings = children.get(entry.parent);
      if (siblings === undefined) children.set(entry.parent, [entry]);
      else siblings.push(entry);
      const known = this.#members.get(entry.pid)?.startedAt === entry.startedAt;
      const ours = !numberReused && (entry.group === this.pid || entry.session === this.pid);
      if (known || ours) members.set(entry.pid, entry);
    }
    const parents = [...members.keys()];
    for (let parent = parents.pop(); parent !== undefined; parent = parents.pop()) {
      for (const child of children.get(parent) ?? []) {
        if (members.has(child.pid)) continue;
        members.set(child.pid, child);
        parents.push(child.pid);
      }
    }
    members.delete(this.pid);
    members.delete(process.pid);
    this.#members = members;
    if (this.#onSession !== undefined) this.#noteSessions(members, this.#onSession);
  }

  #noteSessions(
    members: ReadonlyMap<number, ProcessEntry>,
    onSession: (first: ProcessMark) => () => void,
  ): void {
    const present = new Set<number>();
    for (const { session, startedAt } of members.values()) {
      if (session === undefined || session === this.pid) continue;
      present.add(session);
      if (this.#sessions.has(session)) continue;
      // Where the first is gone, whoever is left stands for it.
      const first = { pid: session, startedAt: members.get(session)?.startedAt ?? startedAt };
      this.#sessions.set(session, onSession(first));
    }
    for (const [session, forget] of this.#sessions) {
      if (present.has(session)) continue;
      this.#sessions.delete(session);
      forget();
    }
  }

  #send(pid: number, signal: NodeJS.Signals): void {
    try {
      this.#kill(pid, signal);
    } catch {
      // Gone by now, or not ours to signal, such as a program that changed its user.
    }
  }
}
