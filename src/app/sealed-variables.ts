import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HubError, type Secret } from '../kernel/index.js';
import type { Sealer } from '../storage/index.js';
import { findKeyPlace } from './master-key/key-place.js';
import { openMasterKeys } from './master-key/open-master-keys.js';

/**
 * Values for `${env:NAME}` in the operator's file that are kept in the data folder, sealed with the master key. A
 * variable of the hub's real environment goes before one of these.
 */
export interface VariableVault {
  /** The data folder. */
  readonly folder: string;
  /** `CROSSPOINT_MASTER_KEY`. */
  readonly masterKey: string | undefined;
}

const NAME = 'variables.json';
/** The hub's own settings are no secrets of upstreams. */
const RESERVED = /^(?:CROSSPOINT_|MCP_)/;

export function isVariableName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name) && !RESERVED.test(name);
}

export async function readSealedVariables(vault: VariableVault): Promise<Readonly<Record<string, string>>> {
  const sealed = readFile(vault.folder);
  const names = Object.keys(sealed).filter(isVariableName);
  if (names.length === 0) return {};
  const sealer = await sealerOf(vault);
  return Object.fromEntries(names.map((name) => [name, open(sealer, name, sealed[name] ?? '')]));
}

/** Adds to what is there, replacing values of the same name. */
export async function sealVariables(
  vault: VariableVault,
  values: Readonly<Record<string, Secret>>,
): Promise<void> {
  const sealer = await sealerOf(vault);
  const added = Object.entries(values).map(([name, value]) => {
    if (!isVariableName(name))
      throw new HubError('invalid_request', `${name} cannot be the name of a sealed variable`);
    return [name, sealer.seal(value.reveal(), contextOf(name))] as const;
  });
  writeFile(vault.folder, { ...readFile(vault.folder), ...Object.fromEntries(added) });
}

/** Seals with the active key whatever is sealed with another; tells how many. */
export function resealVariables(folder: string, sealer: Sealer): number {
  const sealed = readFile(folder);
  const outdated = Object.entries(sealed).filter(([, value]) => !sealer.isCurrent(value));
  if (outdated.length === 0) return 0;
  const anew = outdated.map(([name, value]) => [
    name,
    sealer.seal(open(sealer, name, value), contextOf(name)),
  ]);
  writeFile(folder, { ...sealed, ...Object.fromEntries(anew) });
  return outdated.length;
}

/** Answers which of them there were. */
export function forgetVariables(folder: string, names: readonly string[]): readonly string[] {
  const before = readFile(folder);
  const gone = names.filter((name) => Object.hasOwn(before, name));
  if (gone.length > 0)
    writeFile(folder, Object.fromEntries(Object.entries(before).filter(([name]) => !gone.includes(name))));
  return gone;
}

/** Whole or not at all: the hub may be reading. */
function writeFile(folder: string, sealed: Readonly<Record<string, string>>): void {
  const path = join(folder, NAME);
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(sealed, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(unfinished, path);
}

function readFile(folder: string): Readonly<Record<string, string>> {
  const path = join(folder, NAME);
  if (!existsSync(path)) return {};
  try {
    const content: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (
      typeof content === 'object' &&
      content !== null &&
      Object.values(content).every((value) => typeof value === 'string')
    ) {
      return content as Readonly<Record<string, string>>;
    }
  } catch {
    // Told below.
  }
  throw new HubError(
    'config_invalid',
    `${path} is damaged: restore it, or remove it and set the variables in the environment`,
  );
}

async function sealerOf({ folder, masterKey }: VariableVault): Promise<Sealer> {
  const { createSealer } = await import('../storage/index.js');
  return createSealer(openMasterKeys(findKeyPlace(masterKey, folder)));
}

function open(sealer: Sealer, name: string, sealed: string): string {
  try {
    return sealer.open(sealed, contextOf(name));
  } catch (error) {
    throw new HubError(
      'config_invalid',
      `the sealed variable ${name} cannot be opened with this master key`,
      { cause: error },
    );
  }
}

function contextOf(name: string) {
  return { table: 'variables', record: name, field: 'value' };
}
