import type { ChildProcess } from 'node:child_process';

import crossSpawn from 'cross-spawn';

import { withDefaults, type Message } from '../jsonrpc/index.js';
import { FileDigests } from './file-digests.js';
import { LineMessages } from './line-messages.js';
import { LineSplitter } from './line-splitter.js';
import { LineWriter } from './line-writer.js';
import { markProcess, type ProcessMark } from './left-behind.js';
import { PacedPipe } from './paced-pipe.js';
import { ProcessKeeper } from './process-keeper.js';
import { ProcessMeter, type ProcessLimits } from './process-meter.js';
import type { ShutdownTimes } from './process-shutdown.js';
import { createProcessTable } from './process-table.js';
import { PosixProcessTree, type ProcessTree } from './process-tree.js';
import { WindowsProcessTree } from './process-tree-windows.js';
import { ReadPacer } from './read-pacer.js';
import { StdioChild, type StdioPipes } from './stdio-child.js';
import { SpawnTurns } from './spawn-turns.js';
import { findBrokenPin, type BrokenPin } from './stdio-pins.js';
import { spawnError, spawnStdio, type Spawn, type StdioCommand } from './stdio-spawn.js';
import { StderrLog } from './stdio-stderr.js';
import {
  TransportError,
  type Outgoing,
  type Receiver,
  type Transport,
  type TransportErrorCode,
  type TransportWarning,
} from './transport.js';
import { beginsLogMessage } from './unwanted-log.js';

/** How much may be said and wait, in bytes and lines. */
export interface StdioLimits {
  /** Longest line in either direction. */
  readonly lineBytes: number;
  /** What may wait for a child that does not read. */
  readonly stdinQueueBytes: number;
  /** Lines in a row that are no messages before the child is given up. */
  readonly badLines: number;
}

/** Which program is started, and what it may take up. Only `command` is required. */
export interface StdioOptions extends StdioCommand {
  readonly limits?: Partial<StdioLimits>;
  /** What it may use of the machine, on Linux. */
  readonly usage?: ProcessLimits;
  readonly shutdown?: Partial<ShutdownTimes>;
  /** A line of the child's stderr: free text, without control characters. At most 100 a second. */
  readonly onStderr?: (line: string) => void;
  /** What the child said on its output that is no message: a banner, or why it cannot serve. At most ten lines a second. */
  readonly onTalk?: (text: string) => void;
  /**
   * Called with each child that runs, and with descendants of it that began a session of their own. What it returns is
   * called when nothing is left of that.
   */
  readonly onStarted?: (child: ProcessMark) => () => void;
  /** Nothing is left of the child, or it was never there. */
  readonly onGone?: () => void;
  /** The child was not started, because a file is not what it is pinned to. */
  readonly onPinBroken?: (pin: BrokenPin) => void;
  /** The child went away, or had to be given up, without being asked to. Called at most once. */
  readonly onEnded?: (reason: TransportError) => void;
  readonly spawn?: Spawn;
}

const LIMITS: StdioLimits = { lineBytes: 8 * 1024 * 1024, stdinQueueBytes: 1024 * 1024, badLines: 1000 };
const SHUTDOWN: ShutdownTimes = { stdinMs: 2000, termMs: 3000 };

// Module state against the rule: a process has one exit and one process table, however many transports it opens.
const TABLE = createProcessTable();
const KEEPER = new ProcessKeeper(process, TABLE);
const TURNS = new SpawnTurns();
const DIGESTS = new FileDigests(() => Date.now());

/** What there is while a child runs. */
interface Running {
  readonly pid: number;
  readonly pipes: StdioPipes;
  readonly tree: ProcessTree;
  readonly child: StdioChild;
  readonly output: PacedPipe;
  readonly writer: LineWriter;
  readonly stderr: StderrLog;
}

/** Starts a program and talks to it line by line. */
export class StdioTransport implements Transport {
  readonly carriesHeaders = false;
  readonly #options: StdioOptions;
  readonly #limits: StdioLimits;
  readonly #lines: LineSplitter;
  readonly #messages: LineMessages;
  readonly #pacer = new ReadPacer();
  #running: Running | undefined;
  #started = false;
  /** Absent before the start and when nothing may be reported any more. */
  #receiver: Receiver | undefined;
  /** Why nothing can be sent. */
  #over:
    | { readonly code: TransportErrorCode; readonly message: string; readonly exitCode?: number }
    | undefined;
  #heard = false;

  constructor(options: StdioOptions) {
    this.#options = options;
    this.#limits = withDefaults(LIMITS, options.limits);
    const { lineBytes, badLines } = this.#limits;
    const isUnwanted = (line: string): boolean =>
      beginsLogMessage(line) && this.#receiver?.ignoresLog?.(undefined) === true;
    this.#messages = new LineMessages({
      maxBadLines: badLines,
      onMessage: (message) => this.#deliver(message),
      onBadAnswer: (id) => this.#receiver?.badAnswer?.(id),
      onWarning: (warning) => this.#warn(warning),
      ...(options.onTalk && { onTalk: options.onTalk }),
      onTooManyBadLines: () => this.#giveUp('STDIO_EXITED', `${badLines} lines in a row were no messages`),
      ignores: isUnwanted,
    });
    this.#lines = new LineSplitter({
      maxBytes: lineBytes,
      onLine: (line) => this.#messages.read(line),
      onTooLong: () => this.#giveUp('STDIO_LINE_TOO_LONG', `a line is longer than ${lineBytes} bytes`),
      skips: isUnwanted,
    });
  }

  /** Also the number of its process group. Known once started. */
  get pid(): number | undefined {
    return this.#running?.pid;
  }

  /** How many lines of the child were no messages. */
  get skippedLines(): number {
    return this.#messages.skipped;
  }

  /** The last 64 KiB of the child's stderr, without control characters. */
  recentStderr(): string {
    return this.#running?.stderr.recent() ?? '';
  }

  setRevision(): void {}

  openServerStream(): undefined {}

  async start(receiver: Receiver): Promise<void> {
    if (this.#started || this.#over !== undefined) throw this.#refusal();
    this.#started = true;
    try {
      await TURNS.next();
      if (this.#options.pins !== undefined) await this.#requirePinned();
      if (this.#over !== undefined) return this.#options.onGone?.();
      const child = spawnStdio(this.#options.spawn ?? crossSpawn, this.#options);
      const { pid, stdin, stdout, stderr } = child;
      if (pid === undefined || stdin === null || stdout === null || stderr === null) {
        throw await spawnError(child);
      }
      this.#receiver = receiver;
      this.#running = this.#adopt(child, pid, { stdin, stdout, stderr });
    } catch (error) {
      this.#over ??= { code: 'STDIO_SPAWN_FAILED', message: 'the process could not be started' };
      this.#options.onGone?.();
      throw error;
    }
  }

  send(message: Outgoing): Promise<void> {
    if (this.#over !== undefined || this.#running === undefined) return Promise.reject(this.#refusal());
    if (message.id !== undefined) this.#pacer.expect();
    return this.#running.writer.write(message.text, message.signal);
  }

  async close(): Promise<void> {
    this.#over ??= { code: 'CONNECTION_CLOSED', message: 'the transport was closed' };
    this.#silence();
    const { child, writer } = this.#running ?? {};
    await child?.end('input', () => writer?.end('the transport was closed'));
  }

  async #requirePinned(): Promise<void> {
    const broken = await findBrokenPin(this.#options, DIGESTS);
    if (broken === undefined) return;
    this.#options.onPinBroken?.(broken);
    const { why } = broken;
    const message = `the process was not started: ${why}`;
    throw new TransportError('STDIO_PIN_BROKEN', message, { why, mayHaveArrived: false });
  }

  #adopt(child: ChildProcess, pid: number, pipes: StdioPipes): Running {
    const { onStarted, usage } = this.#options;
    const tree =
      process.platform === 'win32'
        ? new WindowsProcessTree(pid)
        : new PosixProcessTree({ pid, table: TABLE, onSession: onStarted });
    const mark = onStarted && markProcess(pid);
    const forget = mark && onStarted?.(mark);
    const meter =
      usage &&
      new ProcessMeter({
        tree,
        limits: usage,
        onOver: (what) => this.#giveUp('STDIO_OVER_LIMIT', `the process used ${what}`),
      });
    return {
      pid,
      pipes,
      tree,
      child: new StdioChild({
        child,
        pipes,
        tree,
        keeper: KEEPER,
        times: withDefaults(SHUTDOWN, this.#options.shutdown),
        onOver: ({ message, exitCode }) => this.#onOver(message, exitCode),
        onGone: () => {
          meter?.stop();
          forget?.();
          this.#options.onGone?.();
        },
      }),
      output: new PacedPipe({
        stream: pipes.stdout,
        pacer: this.#pacer,
        take: (bytes) => this.#lines.push(bytes),
      }),
      writer: new LineWriter({
        output: pipes.stdin,
        maxLineBytes: this.#limits.lineBytes,
        maxQueueBytes: this.#limits.stdinQueueBytes,
        fullCode: 'STDIO_STDIN_FULL',
      }),
      stderr: new StderrLog({
        stream: pipes.stderr,
        onLine: this.#options.onStderr && ((line) => this.#onStderr(line)),
        onDropped: (count) =>
          this.#warn({ code: 'stderr', message: `${count} lines of stderr were not reported` }),
      }),
    };
  }

  #deliver(message: Message): void {
    if (!this.#heard && this.#running !== undefined) {
      this.#heard = true;
      // A launcher's server is up now: remember it, in case the launcher dies first.
      void this.#running.tree.survey();
    }
    this.#receiver?.message(message, undefined);
  }

  #warn(warning: TransportWarning): void {
    this.#receiver?.warn(warning);
  }

  #onStderr(line: string): void {
    if (this.#receiver !== undefined) this.#options.onStderr?.(line);
  }

  /** The child went away, or can no longer be heard or told anything. */
  #onOver(message: string, exitCode: number | undefined): void {
    this.#running?.output.finish();
    this.#running?.stderr.hurry();
    this.#lines.end();
    this.#fail('STDIO_EXITED', message, exitCode);
    void this.#running?.child.end('input');
  }

  /** The child broke the rules so badly that it is killed. */
  #giveUp(code: TransportErrorCode, message: string): void {
    this.#running?.pipes.stdout.destroy();
    this.#running?.output.stop();
    this.#fail(code, `${message}; the process was killed`, undefined);
    void this.#running?.child.end('kill');
  }

  #fail(code: TransportErrorCode, message: string, exitCode: number | undefined): void {
    const details = exitCode === undefined ? {} : { exitCode };
    this.#running?.writer.fail(code, message, details);
    if (this.#over !== undefined) return;
    this.#over = { code, message, ...details };
    const receiver = this.#receiver;
    // After the senders of unwritten lines have heard that these certainly did not arrive.
    setImmediate(() => {
      if (this.#receiver === undefined) return;
      this.#silence();
      const reason = new TransportError(code, message, details);
      this.#options.onEnded?.(reason);
      receiver?.closed(reason);
    });
  }

  #silence(): void {
    this.#receiver = undefined;
    this.#running?.output.stop();
    this.#lines.stop();
    this.#messages.stop();
  }

  #refusal(): TransportError {
    const { code, message, exitCode } = this.#over ?? {
      code: 'CONNECTION_CLOSED',
      message: this.#started ? 'the transport was started before' : 'the transport was not started',
    };
    return new TransportError(code, message, {
      ...(exitCode !== undefined && { exitCode }),
      mayHaveArrived: false,
    });
  }
}
