import { existsSync } from 'node:fs';
import { HubError } from '../../kernel/index.js';
import type { Config } from '../config/config.js';
import { findKeyPlace } from '../master-key/key-place.js';
import { requireMasterKeys } from '../master-key/open-master-keys.js';
import type { Restored } from '../../storage/index.js';

export interface RestoreRequest {
  readonly config: Config;
  readonly masterKey: string | undefined;
  readonly file: string;
  /** Moves a store that is there already aside instead of refusing. */
  readonly replace: boolean;
  readonly now: number;
}

/** All of a backup or nothing of it. The hub must not run. */
export async function restoreHub({
  config,
  masterKey,
  file,
  replace,
  now,
}: RestoreRequest): Promise<Restored> {
  const { restoreStorage } = await import('../../storage/index.js');
  const masterKeys = requireMasterKeys(findKeyPlace(masterKey, config.dataDir));
  const path = /^sqlite:(?:\/\/)?(.+)$/.exec(config.storageUrl)?.[1];
  if (path !== undefined && existsSync(path) && !replace)
    throw new HubError(
      'conflict',
      `there is a store at ${path} already: move it away, or use --replace to have it moved aside`,
    );
  const aside = path && `${path}.before-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`;
  const moveTo = replace ? aside : undefined;
  return restoreStorage({ url: config.storageUrl, from: file, masterKeys, moveTo });
}
