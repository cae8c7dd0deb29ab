import { existsSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { HubError } from '../../kernel/index.js';
import { findConfigFile } from '../config/read-file.js';
import { readText } from '../config/read-text.js';
import { connectorIdsIn, editConfigText, type ConfigEdit, type ConfigFormat } from './edit-config-text.js';

const NEW_FILE = '# Crosspoint. Check this file with "crosspoint config check".\n';

export interface OperatorFile {
  readonly path: string;
  readonly exists: boolean;
  /** The connectors it describes. */
  readonly connectors: readonly string[];
}

/** The file that was named, the one of the folder, or the one that would be made there. */
export function openOperatorFile(named: string | undefined, folder: string): OperatorFile {
  const path =
    named === undefined
      ? (findConfigFile(undefined, folder) ?? join(folder, 'crosspoint.yaml'))
      : resolve(folder, named);
  const exists = existsSync(path);
  return {
    path,
    exists,
    connectors: exists ? inFile(path, () => connectorIdsIn(readText(path), formatOf(path))) : [],
  };
}

/**
 * Makes the changes, all or none. What reads the file meanwhile sees the old text or the new one. Answers the variables
 * that the file referred to and does no longer.
 */
export function editOperatorFile(
  { path, exists }: OperatorFile,
  edits: readonly ConfigEdit[],
): readonly string[] {
  const target = exists ? realpathSync(path) : path;
  const before = exists ? readText(target) : startOf(path);
  const after = inFile(path, () =>
    edits.reduce((text, edit) => editConfigText(text, formatOf(path), edit), before),
  );
  const unfinished = join(dirname(target), `.${process.pid}.crosspoint-edit`);
  try {
    writeFileSync(unfinished, after, { mode: exists ? statSync(target).mode & 0o777 : 0o644, flag: 'wx' });
    renameSync(unfinished, target);
  } finally {
    rmSync(unfinished, { force: true });
  }
  const kept = new Set(variablesIn(after));
  return variablesIn(before).filter((name) => !kept.has(name));
}

function variablesIn(text: string): string[] {
  return [...new Set([...text.matchAll(/\$\{env:([^}]+)\}/g)].map(([, name = '']) => name))];
}

function startOf(path: string): string {
  return formatOf(path) === 'yaml' ? NEW_FILE : '{}\n';
}

function formatOf(path: string): ConfigFormat {
  return /\.jsonc?$/.test(path) ? 'json' : 'yaml';
}

function inFile<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof HubError
      ? new HubError(error.code, `${path}: ${error.message}`, { cause: error })
      : error;
  }
}
