import { createRequire } from 'node:module';
import type * as KeyringLibrary from '@napi-rs/keyring';
import { HubError } from '../kernel/index.js';

/** Entries of one service in the keychain of the operating system. */
export interface Keychain {
  find(name: string): string | undefined;
  save(name: string, value: string): void;
  /** False if there was none. */
  remove(name: string): boolean;
}

/**
 * Values that connectors refer to are a service of their own: whoever may write connectors must not be able to refer to
 * the master key.
 */
export type KeychainService = 'crosspoint' | 'crosspoint master key';

/** The kernel's keyring would do as a fall-back, but forgets everything when the machine restarts. */
const LASTING = { linux: { store: 'secret-service' } } as const;

type Library = typeof KeyringLibrary;

/** Loads nothing until it is asked for something. Throws `config_invalid` where there is no keychain that can be used. */
export function createKeychain(service: KeychainService, load: () => Library = loadLibrary): Keychain {
  function use<Result>(name: string, work: (entry: InstanceType<Library['Entry']>) => Result): Result {
    try {
      return work(new (load().Entry)(service, name, LASTING));
    } catch (cause) {
      throw new HubError(
        'config_invalid',
        'there is no keychain of the operating system that can be used here: it needs a desktop session with an unlocked keychain. Keep the value in a file or in the environment instead',
        { cause },
      );
    }
  }
  return {
    find: (name) => use(name, (entry) => entry.getPassword() ?? undefined),
    save: (name, value) => use(name, (entry) => entry.setPassword(value)),
    remove: (name) => use(name, (entry) => entry.deletePassword()),
  };
}

/** An optional dependency: it is not there on every platform. */
function loadLibrary(): Library {
  return createRequire(import.meta.url)('@napi-rs/keyring') as Library;
}
