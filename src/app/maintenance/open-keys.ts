import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HubError, Secret } from '../../kernel/index.js';
import type { MasterKeys } from '../../storage/index.js';
import { openDataFolder } from '../data-folder.js';

/** The master key as it is. One that was made now would open nothing. */
export function requireMasterKeys(dataDir: string, masterKey: string | undefined): MasterKeys {
  const path = join(dataDir, 'master.key');
  if (masterKey === undefined && !existsSync(path)) {
    throw new HubError(
      'config_invalid',
      `there is no master key: put the hub's master.key at ${path}, or set CROSSPOINT_MASTER_KEY`,
    );
  }
  return {
    active: {
      id: 'master',
      key: openDataFolder({ path: dataDir, adminToken: new Secret(''), masterKey }).masterKey,
    },
  };
}
