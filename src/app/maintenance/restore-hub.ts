import { existsSync, renameSync } from 'node:fs';
import { HubError } from '../../kernel/index.js';
import type { Config } from '../config/config.js';
import { findKeyPlace } from '../master-key/key-place.js';
import { requireMasterKeys } from '../master-key/open-master-keys.js';

export interface RestoreRequest {
  readonly config: Config;
  readonly masterKey: string | undefined;
  readonly file: string;
  /** Moves a store that is there already aside instead of refusing. */
  readonly replace: boolean;
  readonly now: number;
}

export interface Restored {
  readonly rows: number;
  /** Where the store that was there before is now. */
  readonly movedTo: string | undefined;
}

const SUFFIXES = ['', '-wal', '-shm', '-events'];

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
  if (path === undefined || !existsSync(path))
    return {
      ...(await restoreStorage({ url: config.storageUrl, from: file, masterKeys })),
      movedTo: undefined,
    };
  if (!replace)
    throw new HubError(
      'conflict',
      `there is a store at ${path} already: move it away, or use --replace to have it moved aside`,
    );
  const aside = `${path}.before-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`;
  move(path, aside);
  try {
    return { ...(await restoreStorage({ url: config.storageUrl, from: file, masterKeys })), movedTo: aside };
  } catch (error) {
    move(aside, path);
    throw error;
  }
}

function move(from: string, to: string): void {
  for (const suffix of SUFFIXES) if (existsSync(from + suffix)) renameSync(from + suffix, to + suffix);
}
