import type { ChildProcess } from 'node:child_process';
import type { Logger } from '../kernel/index.js';
import { EXIT_CONFIGURATION, EXIT_DONE, EXIT_FAILED } from './exit-codes.js';
import type { HubPlace, ReadyHub } from './hub-herald.js';

/** What a worker tells its primary. */
export type WorkerReport =
  | { readonly type: 'announce'; readonly place: HubPlace }
  | { readonly type: 'ready'; readonly hub: ReadyHub };

export interface WorkerSetOptions {
  readonly count: number;
  readonly fork: () => ChildProcess;
  readonly logger: Logger;
  readonly onPlace: (place: HubPlace) => void;
  /** Once, when all workers are ready for the first time. */
  readonly onReady: (hub: ReadyHub) => void;
  /** Once, when none is left and none will come; with the exit code. */
  readonly onEnd: (code: number) => void;
}

const MOST_FAILED_STARTS = 5;
const WINDOW_MS = 60_000;
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;
/** Longer than a worker takes that gives running calls their time. */
const STOP_MS = 20_000;

/** Keeps a number of workers running. Those that end are replaced, later and later where they do not even start. */
export class WorkerSet {
  readonly #options: WorkerSetOptions;
  /** And whether they are ready. */
  readonly #workers = new Map<ChildProcess, boolean>();
  readonly #delayed = new Set<NodeJS.Timeout>();
  /** Those that are to read the configuration again as soon as they are ready. */
  readonly #outdated = new Set<ChildProcess>();
  /** When workers ended that were not ready yet. */
  #failedStarts: number[] = [];
  #wasReady = false;
  #first: ReadyHub | undefined;
  #exitCode: number | undefined;
  #ended = false;

  constructor(options: WorkerSetOptions) {
    this.#options = options;
  }

  start(): void {
    this.#fill();
  }

  reload(): void {
    for (const [worker, ready] of this.#workers) {
      if (ready) worker.send('reload', () => {});
      else this.#outdated.add(worker);
    }
  }

  /** One that lost its connection to this process can do nothing any more, and may not know. */
  endUnlinked(worker: ChildProcess): void {
    if (this.#exitCode !== undefined || !this.#workers.has(worker)) return;
    this.#options.logger.warn(
      { worker: worker.pid },
      'a worker that lost its connection to the hub is ended',
    );
    worker.kill('SIGKILL');
  }

  /** May be called twice. */
  stop(code: number = EXIT_DONE): void {
    if (this.#exitCode !== undefined) return;
    this.#exitCode = code;
    for (const timer of this.#delayed) clearTimeout(timer);
    this.#delayed.clear();
    for (const [worker, ready] of this.#workers) {
      if (ready) worker.send('stop', () => {});
      else worker.kill('SIGTERM');
    }
    setTimeout(() => this.stopAtOnce(), STOP_MS).unref();
    this.#endIfEmpty();
  }

  stopAtOnce(): void {
    this.#exitCode = EXIT_FAILED;
    for (const worker of this.#workers.keys()) worker.kill('SIGKILL');
    this.#endIfEmpty();
  }

  get #readyCount(): number {
    return [...this.#workers.values()].filter(Boolean).length;
  }

  /** The first one starts alone: it makes keys, tokens and tables, and the others find them. */
  #fill(): void {
    const wanted = this.#first === undefined ? 1 : this.#options.count;
    while (this.#workers.size + this.#delayed.size < wanted) this.#fork();
  }

  #fork(): void {
    const worker = this.#options.fork();
    this.#workers.set(worker, false);
    worker.on('message', (message) => {
      const report = message as WorkerReport;
      if (report.type === 'announce') this.#options.onPlace(report.place);
      else this.#onReady(worker, report.hub);
    });
    // One that could not be started has no exit.
    worker.on('error', () => {
      if (worker.pid === undefined) this.#onExit(worker, null, null);
    });
    worker.once('exit', (code, signal) => this.#onExit(worker, code, signal));
  }

  #onReady(worker: ChildProcess, hub: ReadyHub): void {
    if (!this.#workers.has(worker)) return;
    this.#workers.set(worker, true);
    if (this.#exitCode !== undefined) {
      worker.send('stop', () => {});
      return;
    }
    if (this.#outdated.delete(worker)) worker.send('reload', () => {});
    this.#first ??= hub;
    this.#fill();
    if (this.#wasReady || this.#readyCount < this.#options.count) return;
    this.#wasReady = true;
    this.#options.onReady(this.#first);
  }

  #onExit(worker: ChildProcess, code: number | null, signal: string | null): void {
    const wasReady = this.#workers.get(worker) === true;
    this.#workers.delete(worker);
    this.#outdated.delete(worker);
    if (this.#exitCode !== undefined) {
      if (wasReady && code !== EXIT_DONE) this.#exitCode = EXIT_FAILED;
      return this.#endIfEmpty();
    }
    // It has said why, and the next one would say the same.
    if (this.#first === undefined && code === EXIT_CONFIGURATION) return this.stop(EXIT_CONFIGURATION);
    const now = performance.now();
    const recent = (at: number): boolean => now - at < WINDOW_MS;
    this.#failedStarts = [...this.#failedStarts, ...(wasReady ? [] : [now])].filter(recent);
    const { length: failed } = this.#failedStarts;
    // What has served once may again: whatever keeps workers from starting now may pass.
    if (failed >= MOST_FAILED_STARTS && this.#first === undefined) {
      this.#options.logger.error({ failed }, 'workers keep ending at their start');
      return this.stop(EXIT_FAILED);
    }
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** Math.max(0, failed - 1), LONGEST_DELAY_MS);
    const serving = this.#readyCount;
    const facts = { worker: worker.pid, code, signal, delayMs, serving };
    const level = serving === 0 ? 'error' : 'warn';
    this.#options.logger[level](facts, 'a worker ended; another one takes its place');
    const timer = setTimeout(() => {
      this.#delayed.delete(timer);
      this.#fill();
    }, delayMs);
    this.#delayed.add(timer);
  }

  #endIfEmpty(): void {
    if (this.#ended || this.#workers.size > 0) return;
    this.#ended = true;
    this.#options.onEnd(this.#exitCode ?? EXIT_DONE);
  }
}
