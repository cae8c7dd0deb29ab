import { readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { HubError } from '../../kernel/index.js';

/** Files named one by one or with `*` in the last part of a path, sorted. A pattern that finds nothing is a mistake, except with `*`. */
export function globSync(patterns: readonly string[], folder: string): string[] {
  return [...new Set(patterns.flatMap((pattern) => expand(resolve(folder, pattern))))].toSorted();
}

function expand(path: string): string[] {
  const parent = dirname(path);
  const last = path.slice(parent.length + 1);
  if (parent.includes('*'))
    throw new HubError('config_invalid', `${path}: * is only understood in the name of the file`);
  if (!last.includes('*')) {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
      throw new HubError('config_invalid', `${path}: there is no such file`);
    return [path];
  }
  const [first = '', ...rest] = last.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const matcher = new RegExp(`^${[first, ...rest].join('.*')}$`);
  if (statSync(parent, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(parent)
    .filter((name) => matcher.test(name))
    .map((name) => join(parent, name));
}
