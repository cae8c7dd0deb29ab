import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { HubError } from '../../kernel/index.js';

export interface ReferenceSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Paths are relative to the folder of the file that names them. */
  readonly folder: string;
}

const REFERENCE = /\$\{(env|file):([^}]+)\}/g;

/** Replaces `${env:NAME}` and `${file:PATH}` in every text of an operator's file. What does not exist stops the start. */
export function expandReferences(value: unknown, sources: ReferenceSources, key = ''): unknown {
  if (typeof value === 'string')
    return value.replace(REFERENCE, (reference, kind: string, name: string) => {
      if (kind === 'file') return readText(resolve(sources.folder, name), `${key}: ${reference}`);
      const found = sources.environment[name];
      if (found !== undefined) return found;
      throw new HubError('config_invalid', `${key}: ${reference}: the variable is not set`);
    });
  const below = (name: string | number) => (key === '' ? String(name) : `${key}.${name}`);
  if (Array.isArray(value)) return value.map((item, index) => expandReferences(item, sources, below(index)));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, expandReferences(member, sources, below(name))]),
  );
}

function readText(path: string, where: string): string {
  try {
    return readFileSync(path, 'utf8').trimEnd();
  } catch (error) {
    throw new HubError('config_invalid', `${where}: the file cannot be read`, { cause: error });
  }
}
