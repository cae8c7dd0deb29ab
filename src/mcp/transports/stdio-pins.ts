import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';
import { FileDigests } from './file-digests.js';
import type { StdioCommand } from './stdio-spawn.js';

/** A file that is not what it was pinned to. */
export interface BrokenPin {
  readonly file: string;
  readonly expected: string;
  /** Its SHA-256 now, where there is something to read. */
  readonly found?: string;
  /** All of it in words. */
  readonly why: string;
}

type Where = Pick<StdioCommand, 'cwd' | 'env'>;

const isWindows = process.platform === 'win32';

/** Undefined if all files are what they are pinned to. */
export async function findBrokenPin(
  what: Where & Pick<StdioCommand, 'pins'>,
  digests: FileDigests,
): Promise<BrokenPin | undefined> {
  for (const [file, expected] of Object.entries(what.pins ?? {})) {
    const { found, problem } = await digestOf(file, what, digests);
    if (found === expected) continue;
    const why =
      found === undefined
        ? `${file} ${problem}; it is pinned to the SHA-256 ${expected}`
        : `${file} has the SHA-256 ${found}; it is pinned to ${expected}`;
    return { file, expected, ...(found !== undefined && { found }), why };
  }
  return undefined;
}

/** What a file would have to be pinned to now. */
export async function digestOf(
  file: string,
  where: Where = {},
  digests = new FileDigests(() => Date.now()),
): Promise<{ readonly found?: string; readonly problem: string }> {
  const path = await locate(file, where);
  if (path === undefined) return { problem: 'is no program in PATH' };
  try {
    const found = await digests.of(path);
    return found === undefined ? { problem: 'is no file' } : { found, problem: '' };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    return { problem: code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})` };
  }
}

/** Where the system finds it: from the folder in which the process runs, or through the `PATH` that the process is given. */
async function locate(file: string, { cwd, env }: Where): Promise<string | undefined> {
  const folder = resolve(cwd ?? '.');
  if (file.includes('/') || (isWindows && file.includes('\\')))
    return (await findProgram(resolve(folder, file))) ?? resolve(folder, file);
  const search = (isWindows ? ['.'] : []).concat(searchPath(env).split(delimiter));
  for (const part of search) {
    const found = await findProgram(resolve(folder, part, file));
    if (found !== undefined) return found;
  }
  return undefined;
}

function searchPath(env: Where['env'] = {}): string {
  const own = Object.entries(env).find(([name]) => (isWindows ? name.toUpperCase() : name) === 'PATH');
  return own?.[1] ?? process.env['PATH'] ?? '/bin:/usr/bin';
}

/** Windows also takes a program without the end of its name. */
async function findProgram(path: string): Promise<string | undefined> {
  const endings = isWindows ? (process.env['PATHEXT'] ?? '.EXE;.CMD;.BAT;.COM').split(';') : [];
  for (const candidate of [path, ...endings.map((ending) => `${path}${ending}`)])
    if (await isProgram(candidate)) return candidate;
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
