import { resolve } from 'node:path';
import { HubError } from '../../kernel/index.js';
import { readText } from './read-text.js';

export interface ReferenceSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Paths are relative to the folder of the file that names them. */
  readonly folder: string;
}

const REFERENCE = /\$\{(env|file):([^}]+)\}/g;
/** How other programs refer to variables; left as it is, a secret would be what everybody can read in their documents. */
const FOREIGN = /\$\{[^}]*\}/;
/** What a program or a model gets to read may mean something else by it, */
const FREE_TEXT = /^(?:connectors|mcpServers)\.[^.]+\.(?:args|prompts)(?:\.|$)/;
/** and so may a variable of a program, such as a format, unless there is nothing else in it. */
const VARIABLE = /^(?:connectors|mcpServers)\.[^.]+\.env\./;
const WHOLE = /^\$\{[^}]*\}$/;

/** What is wrong with the first text in which a reference would stay as it is; `key` says where the value stands. */
export function findForeignReference(value: unknown, key = ''): string | undefined {
  if (typeof value === 'string') {
    const rest = value.replace(REFERENCE, '');
    if (FREE_TEXT.test(key) || !(VARIABLE.test(key) ? WHOLE : FOREIGN).test(rest)) return undefined;
    return `${key}: \${…} is not replaced here: write \${env:NAME} for a variable, \${file:PATH} for the content of a file`;
  }
  for (const [name, member] of typeof value === 'object' && value !== null ? Object.entries(value) : []) {
    const found = findForeignReference(member, join(key, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Replaces `${env:NAME}` and `${file:PATH}` in every text of an operator's file. What does not exist stops the start. */
export function expandReferences(value: unknown, sources: ReferenceSources, key = ''): unknown {
  if (typeof value === 'string')
    return value.replace(REFERENCE, (reference, kind: string, name: string) => {
      if (kind === 'file') return readReferred(resolve(sources.folder, name), `${key}: ${reference}`);
      const found = sources.environment[name];
      if (found !== undefined) return found;
      throw new HubError('config_invalid', `${key}: ${reference}: the variable is not set`);
    });
  if (Array.isArray(value))
    return value.map((item, index) => expandReferences(item, sources, join(key, index)));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, expandReferences(member, sources, join(key, name))]),
  );
}

function join(key: string, name: string | number): string {
  return key === '' ? String(name) : `${key}.${name}`;
}

function readReferred(path: string, where: string): string {
  try {
    return readText(path).trimEnd();
  } catch (error) {
    throw new HubError('config_invalid', `${where}: the file cannot be read`, { cause: error });
  }
}
