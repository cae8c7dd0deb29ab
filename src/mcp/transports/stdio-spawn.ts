import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { once } from 'node:events';

import { buildEnvironment, RefusedEnvironment } from './process-environment.js';
import { TransportError } from './transport.js';

/** Starts a process, as `spawn` of `node:child_process` does. */
export type Spawn = (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess;

/** A program and what it is given. */
export interface StdioCommand {
  /** A program, found through `PATH` or by its path. Never seen by a shell, nor are the arguments. */
  readonly command: string;
  readonly args?: readonly string[];
  /** Variables of this child, besides the few that every child inherits: see `buildEnvironment`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Lets `env` name variables that can make the child run other code, such as `NODE_OPTIONS`. */
  readonly allowUnsafeEnv?: boolean;
  readonly cwd?: string;
  /**
   * Files and their SHA-256 in hex; unless each is that, nothing is started. A name without a slash is found through
   * `PATH`, others from the folder in which the process runs.
   */
  readonly pins?: Readonly<Record<string, string>>;
}

/** Node reports a failed spawn in the next turn; this only bounds a `spawn` that was replaced by something else. */
const SPAWN_ERROR_MS = 1000;

/**
 * Starts the program in a process group and session of its own, with three pipes and no other descriptor. A failure
 * is thrown, or the child has no pid and `spawnError` tells why.
 */
export function spawnStdio(spawn: Spawn, what: StdioCommand): ChildProcess {
  try {
    const env = buildEnvironment({
      own: what.env ?? {},
      allowUnsafe: what.allowUnsafeEnv ?? false,
      inherited: process.env,
      platform: process.platform,
    });
    return spawn(what.command, what.args ?? [], {
      env,
      ...(what.cwd !== undefined && { cwd: what.cwd }),
      stdio: ['pipe', 'pipe', 'pipe'],
      shell: false,
      // On Windows this would open a console window, and there are no groups to gain.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
  } catch (error) {
    throw toSpawnFailed(error);
  }
}

export async function spawnError(child: ChildProcess): Promise<TransportError> {
  try {
    const reported: unknown[] = await once(child, 'error', { signal: AbortSignal.timeout(SPAWN_ERROR_MS) });
    return toSpawnFailed(reported[0]);
  } catch (error) {
    return toSpawnFailed(error);
  }
}

const FAULTS: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'the program or its working directory was not found (ENOENT)'],
  ['EACCES', 'the program or its working directory may not be used (EACCES)'],
  ['EAGAIN', 'no more processes may be started (EAGAIN)'],
  ['EMFILE', 'too many files are open (EMFILE)'],
]);

/** Without the cause: Node's error lists all arguments, and whoever prints it would print them. */
function toSpawnFailed(error: unknown): TransportError {
  let why = 'unknown reason';
  if (error instanceof RefusedEnvironment) why = error.message;
  else if (error instanceof Error && 'code' in error) why = FAULTS.get(error.code) ?? String(error.code);
  return new TransportError('STDIO_SPAWN_FAILED', `the process could not be started: ${why}`, {
    why,
    mayHaveArrived: false,
  });
}
