import type { ProcessTable } from './process-table.js';
import type { ProcessTree } from './process-tree.js';

const SURVEY_MS = 30_000;

/** The part of `process` that says when it ends. */
export interface ExitSource {
  on(event: 'exit', listener: () => void): unknown;
  off(event: 'exit', listener: () => void): unknown;
}

/**
 * Knows the trees that are alive, so that none outlives us: when this process exits, whatever the reason, they are
 * killed. (Not after SIGKILL or an unhandled signal, where no code of ours runs; children then see their input end.)
 * Looks at them from time to time, because a descendant can be traced only while its ancestors live.
 */
export class ProcessKeeper {
  readonly #source: ExitSource;
  readonly #table: ProcessTable;
  readonly #trees = new Set<ProcessTree>();
  #timer: NodeJS.Timeout | undefined;

  constructor(source: ExitSource, table: ProcessTable) {
    this.#source = source;
    this.#table = table;
  }

  track(tree: ProcessTree): void {
    if (this.#trees.size === 0) {
      this.#source.on('exit', this.killNow);
      this.#timer = setInterval(() => this.#survey(), SURVEY_MS).unref();
    }
    this.#trees.add(tree);
  }

  release(tree: ProcessTree): void {
    if (!this.#trees.delete(tree) || this.#trees.size > 0) return;
    this.#source.off('exit', this.killNow);
    clearInterval(this.#timer);
  }

  /** Blocks, and leaves no time to clean up. */
  readonly killNow = (): void => {
    if (this.#trees.size === 0) return;
    const entries = this.#table.readSync();
    for (const tree of this.#trees) tree.killNow(entries);
  };

  #survey(): void {
    for (const tree of this.#trees) void tree.survey();
  }
}
