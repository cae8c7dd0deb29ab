import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ProcessKeeper } from './process-keeper.js';
import { endProcessTree, type ShutdownStep, type ShutdownTimes } from './process-shutdown.js';
import type { ProcessTree } from './process-tree.js';

/**
 * Exit and the end of each pipe are reported one by one. Wait so long for the others after the first: a pipe can be
 * held open by a grandchild, and a child can close its output and live on.
 */
const ENDING_MS = 200;

export interface StdioPipes {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

export interface StdioChildOptions {
  readonly child: ChildProcess;
  readonly pipes: StdioPipes;
  readonly tree: ProcessTree;
  readonly keeper: ProcessKeeper;
  readonly times: ShutdownTimes;
  /** The child exited, or cannot be talked to any more. Everything it wrote was read. Called once. */
  onOver(ending: StdioEnding): void;
  /** Nothing is left of it and its descendants. */
  readonly onGone?: (() => void) | undefined;
}

export interface StdioEnding {
  readonly message: string;
  readonly exitCode: number | undefined;
}

/** The life of one child: notices its end, and ends it with all its descendants. */
export class StdioChild {
  readonly #options: StdioChildOptions;
  readonly #exited: Promise<void>;
  readonly #closed: Promise<void>;
  #exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null } | undefined;
  #firstSign = '';
  #timer: NodeJS.Timeout | undefined;
  #over = false;
  #shutdown: Promise<void> | undefined;

  constructor(options: StdioChildOptions) {
    this.#options = options;
    const { child, pipes, tree, keeper } = options;
    keeper.track(tree);
    this.#exited = new Promise((resolve) => {
      const onExit = (code: number | null, signal: NodeJS.Signals | null) => {
        if (this.#exit !== undefined) return;
        this.#exit = { code, signal };
        tree.rootExited();
        resolve();
        this.#sign('exited');
        // Whoever it leaves behind has nobody to talk to.
        void this.end('term');
      };
      child.once('exit', onExit);
      // On Windows a program that was not found has an `error` in place of an exit.
      child.once('close', onExit);
    });
    this.#closed = new Promise((resolve) => {
      child.once('close', () => {
        resolve();
        this.#declareOver();
      });
    });
    // After a successful start this is a signal that could not be sent, which the shutdown finds out by itself.
    child.on('error', () => {});
    pipes.stdin.on('error', () => this.#sign('closed its input'));
    pipes.stdout.on('error', () => this.#sign('closed its output'));
    pipes.stdout.once('end', () => this.#sign('closed its output'));
  }

  /** Ends the whole tree, at the latest a second after the given times. The first call decides where to begin. */
  end(from: ShutdownStep, endInput: () => void = () => this.#options.pipes.stdin.end()): Promise<void> {
    this.#shutdown ??= this.#end(from, endInput);
    return this.#shutdown;
  }

  async #end(from: ShutdownStep, endInput: () => void): Promise<void> {
    const { tree, pipes, keeper, times } = this.#options;
    await endProcessTree({ tree, exited: this.#exited, endInput, from, times });
    keeper.release(tree);
    this.#options.onGone?.();
    // What the child wrote last may still be in its pipes.
    const timeout = new AbortController();
    await Promise.race([
      this.#closed,
      sleep(ENDING_MS, undefined, { signal: timeout.signal }).catch(() => {}),
    ]);
    timeout.abort();
    for (const pipe of [pipes.stdin, pipes.stdout, pipes.stderr]) pipe.destroy();
  }

  #sign(sign: string): void {
    this.#firstSign ||= sign;
    if (!this.#over) this.#timer ??= setTimeout(() => this.#declareOver(), ENDING_MS);
  }

  #declareOver(): void {
    clearTimeout(this.#timer);
    if (this.#over) return;
    this.#over = true;
    this.#options.onOver({ message: this.#describe(), exitCode: this.#exit?.code ?? undefined });
  }

  #describe(): string {
    if (this.#exit === undefined) return `the process ${this.#firstSign}`;
    const { code, signal } = this.#exit;
    return signal === null ? `the process exited with code ${code}` : `the process was ended by ${signal}`;
  }
}
