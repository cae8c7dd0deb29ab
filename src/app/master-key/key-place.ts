import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HubError } from '../../kernel/index.js';
import { createKeychain, type Keychain } from '../keychain.js';

/** Where the master keys are kept. */
export interface KeyPlace {
  readonly kind: 'file' | 'environment' | 'keychain';
  /** For people. */
  readonly name: string;
  /** Undefined if nothing is there yet. */
  read(): string | undefined;
  /** Whole or not at all. Undefined where the hub only reads. */
  readonly write: ((text: string) => void) | undefined;
}

const KEYCHAIN = 'keychain:';
const FILE = 'file:';

/**
 * `CROSSPOINT_MASTER_KEY` is the key itself, `file:PATH` of a file that somebody else keeps, or `keychain:` with an
 * optional name. Without it the key is in the data folder.
 */
export function findKeyPlace(
  setting: string | undefined,
  dataDir: string,
  keychain: Keychain = createKeychain('crosspoint master key'),
): KeyPlace {
  if (setting === undefined || setting === '') return ownFile(join(dataDir, 'master.key'));
  if (setting.startsWith(KEYCHAIN)) return inKeychain(setting.slice(KEYCHAIN.length) || 'default', keychain);
  if (setting.startsWith(FILE)) return givenFile(setting.slice(FILE.length));
  return {
    kind: 'environment',
    name: 'CROSSPOINT_MASTER_KEY',
    read: () => setting,
    write: undefined,
  };
}

function ownFile(path: string): KeyPlace {
  return {
    kind: 'file',
    name: path,
    read() {
      if (!existsSync(path)) return undefined;
      chmodSync(path, 0o600);
      return readFileSync(path, 'utf8');
    },
    write(text) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const unfinished = `${path}.${process.pid}`;
      writeFileSync(unfinished, `${text}\n`, { mode: 0o600, flush: true });
      renameSync(unfinished, path);
    },
  };
}

function givenFile(path: string): KeyPlace {
  return {
    kind: 'file',
    name: path,
    read() {
      try {
        return readFileSync(path, 'utf8');
      } catch (cause) {
        throw new HubError('config_invalid', `the master key file ${path} cannot be read`, { cause });
      }
    },
    write: undefined,
  };
}

function inKeychain(entry: string, keychain: Keychain): KeyPlace {
  return {
    kind: 'keychain',
    name: `entry ${entry} of the keychain`,
    read: () => keychain.find(entry),
    write: (text) => keychain.save(entry, text),
  };
}
