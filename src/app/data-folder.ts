import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { HubError, randomToken, Secret } from '../kernel/index.js';

/** The folder the hub keeps its own things in. Nobody else may look inside. */
export interface DataFolder {
  readonly path: string;
  readonly masterKey: Buffer;
  readonly adminToken: Secret;
  readonly localToken: Secret;
  /** Whether this start made it. */
  readonly isNew: boolean;
}

const MASTER_KEY_BYTES = 32;

export interface DataFolderOptions {
  readonly path: string;
  /** From the configuration; otherwise one is made and kept in the folder. */
  readonly adminToken: Secret | undefined;
  /** Base64 from the environment, instead of the key file. */
  readonly masterKey: string | undefined;
}

export function openDataFolder({ path, adminToken, masterKey }: DataFolderOptions): DataFolder {
  const isNew = !existsSync(join(path, 'local.token'));
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
  return {
    path,
    isNew,
    masterKey: toMasterKey(
      masterKey ?? keepFile(join(path, 'master.key'), () => randomBytes(MASTER_KEY_BYTES).toString('base64')),
    ),
    adminToken: adminToken ?? new Secret(keepFile(join(path, 'admin.token'), () => `cpa_${randomToken()}`)),
    localToken: new Secret(keepFile(join(path, 'local.token'), () => `cpk_${randomToken()}`)),
  };
}

/** Reads a file, or makes it with content for the owner's eyes only. */
function keepFile(path: string, make: () => string): string {
  if (!existsSync(path)) writeFileSync(path, `${make()}\n`, { mode: 0o600, flag: 'wx' });
  chmodSync(path, 0o600);
  const text = readFileSync(path, 'utf8').trim();
  if (text === '')
    throw new HubError('config_invalid', `${path} is empty: restore it, or remove it to have a new one made`);
  return text;
}

function toMasterKey(text: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length !== MASTER_KEY_BYTES)
    throw new HubError('config_invalid', `the master key must be ${MASTER_KEY_BYTES} bytes in Base64`);
  return key;
}
