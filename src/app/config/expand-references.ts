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
export function expandReferences(value: unknown, sources: ReferenceSources): unknown {
  if (typeof value === 'string')
    return value.replace(REFERENCE, (_whole, kind: string, name: string) => fetchValue(kind, name, sources));
  if (Array.isArray(value)) return value.map((item) => expandReferences(item, sources));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, expandReferences(member, sources)]),
  );
}

function fetchValue(kind: string, name: string, { environment, folder }: ReferenceSources): string {
  if (kind === 'env') {
    const value = environment[name];
    if (value === undefined) throw new HubError('config_invalid', `\${env:${name}}: the variable is not set`);
    return value;
  }
  try {
    return readFileSync(resolve(folder, name), 'utf8').trimEnd();
  } catch (error) {
    throw new HubError('config_invalid', `\${file:${name}}: the file cannot be read`, { cause: error });
  }
}
