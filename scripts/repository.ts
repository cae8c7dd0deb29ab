import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the repository. */
export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Everything tracked or about to be, relative to the root, with `/` on every platform. */
export function repositoryFiles(): readonly string[] {
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const paths = new Set(list.split('\0').filter((path) => path !== '' && existsSync(join(ROOT, path))));
  return [...paths].toSorted();
}

export function readRepositoryFile(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
