import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildProgram } from './built-program.js';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly folder?: string;
}

/** A program that goes on until it is told to stop. */
export interface Running {
  readonly child: ChildProcess;
  /** Everything printed so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves with what was printed as soon as it matches. */
  until(pattern: RegExp): Promise<string>;
  stop(signal?: NodeJS.Signals): Promise<Outcome>;
}

const RUN_MS = 50_000;

/** A folder, a home and the program: what somebody has who just installed it. */
export class Workplace {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'crosspoint-cli-')));
  readonly home = join(this.folder, 'home');
  readonly #entry: string;
  readonly #closers: (() => Promise<unknown>)[] = [];

  private constructor(entry: string) {
    this.#entry = entry;
    mkdirSync(this.home);
  }

  static async open(): Promise<Workplace> {
    const program = await buildProgram();
    const place = new Workplace(program.entry);
    place.#closers.push(program.close);
    return place;
  }

  path(...parts: string[]): string {
    return join(this.folder, ...parts);
  }

  /** Runs a command to its end. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const { child, outcome } = this.#spawn(args, options);
    child.stdin?.end(options.input ?? '');
    const timer = setTimeout(() => child.kill('SIGKILL'), RUN_MS);
    try {
      return await outcome;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The JSON a command prints; it must succeed. */
  async json<Answer>(args: readonly string[], options: RunOptions = {}): Promise<Answer> {
    const { code, stdout, stderr } = await this.run([...args, '--json'], options);
    if (code !== 0) throw new Error(`crosspoint ${args.join(' ')} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout) as Answer;
  }

  start(args: readonly string[], options: RunOptions = {}): Running {
    const { child, outcome, stdout, stderr, watchers } = this.#spawn(args, options);
    const running: Running = {
      child,
      stdout,
      stderr,
      until: (pattern) =>
        new Promise((resolve, reject) => {
          const timer = setTimeout(
            () => reject(new Error(`${pattern} was not printed: ${stdout()} ${stderr()}`)),
            RUN_MS,
          );
          const look = (ended: boolean): void => {
            const found = pattern.test(stdout());
            if (!found && !ended) return;
            clearTimeout(timer);
            if (found) resolve(stdout());
            else reject(new Error(`it ended before ${pattern} was printed: ${stdout()} ${stderr()}`));
          };
          watchers.add(() => look(false));
          void outcome.then(() => look(true));
          look(false);
        }),
      stop(signal = 'SIGTERM') {
        if (child.exitCode === null && child.signalCode === null) child.kill(signal);
        return outcome;
      },
    };
    this.#closers.push(() => running.stop());
    return running;
  }

  /** A hub of this folder, ready to be spoken to. */
  async serve(
    flags: readonly string[] = [],
    options: RunOptions = {},
  ): Promise<Running & { readonly url: string }> {
    const running = this.start(['serve', '--port', '0', '--log-format', 'json', ...flags], options);
    const printed = await running.until(/\n/);
    const { url } = JSON.parse(printed) as { readonly url: string };
    return { ...running, url };
  }

  async close(): Promise<void> {
    for (const close of this.#closers.toReversed()) await close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #spawn(args: readonly string[], { env = {}, folder = this.folder }: RunOptions) {
    const child = spawn(process.execPath, [this.#entry, ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: this.home, TZ: 'UTC', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const texts = { stdout: '', stderr: '' };
    const watchers = new Set<() => void>();
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        texts[name] += text;
        for (const watcher of watchers) watcher();
      });
    }
    child.stdin.on('error', () => {});
    const outcome = new Promise<Outcome>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, ...texts }));
    });
    return { child, outcome, stdout: () => texts.stdout, stderr: () => texts.stderr, watchers };
  }
}
