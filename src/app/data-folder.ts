import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HubError, randomToken, type Secret } from '../kernel/index.js';
import type { MasterKeys } from '../storage/index.js';
import { requireStrong } from './config/strong-secret.js';
import { findKeyPlace, type KeyPlace } from './master-key/key-place.js';
import { openMasterKeys } from './master-key/open-master-keys.js';

/** The folder the hub keeps its own things in. Nobody else may look inside. */
export interface DataFolder {
  readonly path: string;
  /** As they were at the start. */
  readonly masterKeys: MasterKeys;
  readonly keyPlace: KeyPlace;
  readonly adminToken: Secret;
  readonly localToken: Secret;
  /** Whether this start made it. */
  readonly isNew: boolean;
}

export interface DataFolderOptions {
  readonly path: string;
  /** From the configuration; otherwise one is made and kept in the folder. */
  readonly adminToken: Secret | undefined;
  /** `CROSSPOINT_MASTER_KEY`: the key, or where it is, if not in the folder. */
  readonly masterKey: string | undefined;
}

export function openDataFolder({ path, adminToken, masterKey }: DataFolderOptions): DataFolder {
  const isNew = !existsSync(join(path, 'local.token'));
  makeFolder(path);
  chmodSync(path, 0o700);
  const keyPlace = findKeyPlace(masterKey, path);
  return {
    path,
    isNew,
    keyPlace,
    masterKeys: openMasterKeys(keyPlace),
    adminToken: adminToken ?? keepToken(join(path, 'admin.token'), () => `cpa_${randomToken()}`),
    localToken: keepToken(join(path, 'local.token'), () => `cpk_${randomToken()}`),
  };
}

/** Node's own way to make a folder with those above it never ends where the system takes none, as below /proc, and hides that a disk is read-only. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error;
    makeFolder(dirname(path));
    makeFolder(path);
  }
}

/** Reads a token, or makes one for the owner's eyes only. One that was cut off, or set by hand, could be guessed. */
function keepToken(path: string, make: () => string): Secret {
  if (!existsSync(path)) writeFileSync(path, `${make()}\n`, { mode: 0o600, flag: 'wx' });
  chmodSync(path, 0o600);
  const text = readFileSync(path, 'utf8').trim();
  if (text === '')
    throw new HubError('config_invalid', `${path} is empty: restore it, or remove it to have a new one made`);
  return requireStrong(text, path);
}
