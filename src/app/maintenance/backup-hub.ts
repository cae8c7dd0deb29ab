import type { Config } from '../config/config.js';
import { findKeyPlace } from '../master-key/key-place.js';
import { requireMasterKeys } from '../master-key/open-master-keys.js';

/** Copies everything the hub keeps into a file, beside a running hub or without one. Secrets in it stay sealed. */
export async function backupHub(config: Config, masterKey: string | undefined, file: string): Promise<void> {
  const { openStorage } = await import('../../storage/index.js');
  const masterKeys = requireMasterKeys(findKeyPlace(masterKey, config.dataDir));
  const storage = await openStorage({ url: config.storageUrl, masterKeys, access: 'read' });
  try {
    await storage.backup(file);
  } finally {
    await storage.close();
  }
}
