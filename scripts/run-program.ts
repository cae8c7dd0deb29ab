import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './repository.js';

export interface ProgramOutcome {
  /** 0 when the program ended well; 1 stands for a signal or a time-out too. */
  readonly exitCode: number;
  /** Standard output and standard error, in the order they came. Empty when they were shown instead. */
  readonly output: string;
}

export interface ProgramOptions {
  readonly cwd?: string;
  /** `show` lets the program write to our own terminal. */
  readonly output?: 'collect' | 'show';
  /** Should be less than what waits for the program would wait itself. */
  readonly timeoutMs?: number;
  /** What ends it then. One that ends what it started itself needs the chance to: `SIGTERM`. */
  readonly killSignal?: 'SIGKILL' | 'SIGTERM';
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program without a shell and reports how it ended. Never rejects. */
export function runProgram(
  command: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<ProgramOutcome> {
  const {
    cwd = ROOT,
    output: mode = 'collect',
    timeoutMs = 100_000,
    killSignal = 'SIGKILL',
    env = {},
  } = options;
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: mode === 'show' ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal,
    });
    let output = '';
    const collect = (chunk: string): void => {
      output += chunk;
    };
    child.stdout?.setEncoding('utf8').on('data', collect);
    child.stderr?.setEncoding('utf8').on('data', collect);
    child.once('error', (error) => {
      resolve({ exitCode: 1, output: `${output}${command} could not be run: ${error.message}\n` });
    });
    child.once('close', (code, signal) => {
      const note = signal === null ? '' : `\n${command} was ended by ${signal} (limit ${timeoutMs} ms)\n`;
      resolve({ exitCode: code ?? 1, output: output + note });
    });
  });
}

/** Runs an installed development tool by the name of its package. */
export function runTool(
  packageName: string,
  args: readonly string[],
  options?: ProgramOptions,
): Promise<ProgramOutcome> {
  return runProgram(process.execPath, [toolPath(packageName), ...args], options);
}

/** Runs npm: the one that started us, else the one on the path. */
export function runNpm(args: readonly string[], options?: ProgramOptions): Promise<ProgramOutcome> {
  const npm = process.env['npm_execpath'];
  return npm === undefined
    ? runProgram('npm', args, options)
    : runProgram(process.execPath, [npm, ...args], options);
}

function toolPath(packageName: string): string {
  const folder = join(ROOT, 'node_modules', packageName);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly bin: string | Readonly<Record<string, string>>;
  };
  const { bin } = manifest;
  const first = typeof bin === 'string' ? bin : Object.values(bin)[0];
  if (first === undefined) throw new Error(`${packageName} has no program`);
  return join(folder, first);
}
