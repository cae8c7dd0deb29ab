import type { Config } from '../config/config.js';
import { requireMasterKeys } from './open-keys.js';

/** Copies everything the hub keeps into a file, beside a running hub or without one. Secrets in it stay sealed. */
export async function backupHub(config: Config, masterKey: string | undefined, file: string): Promise<void> {
  const { openStorage } = await import('../../storage/index.js');
  const masterKeys = requireMasterKeys(config.dataDir, masterKey);
  const storage = await openStorage({ url: config.storageUrl, masterKeys, access: 'read' });
  try {
    await storage.backup(file);
  } finally {
    await storage.close();
  }
}
