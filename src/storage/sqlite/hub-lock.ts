import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { HubError } from '../../kernel/index.js';
import { sqliteCodeOf, toStorageError } from '../storage-errors.js';

const BUSY = 5;
const RETRY_MS = 50;

/**
 * Two hubs on one file would each hold their own idea of the end of the event log. An exclusive SQLite lock on an empty
 * file beside it is the system's lock: it ends with the process, however that ends, and readers of the data do not need it.
 */
export async function acquireHubLock(path: string, waitMs: number): Promise<{ release(): void }> {
  // A lock file that exists is not opened here: closing it would drop the lock if this process holds it already.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const deadline = performance.now() + waitMs;
  for (;;) {
    const lock = tryLock(path);
    if (lock !== undefined) return lock;
    if (performance.now() >= deadline) {
      throw new HubError(
        'config_invalid',
        'another hub uses this store: stop it, or give this one a data folder of its own',
      );
    }
    await sleep(RETRY_MS);
  }
}

function tryLock(path: string): { release(): void } | undefined {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec('begin exclusive');
  } catch (error) {
    db.close();
    if (((sqliteCodeOf(error) ?? 0) & 0xff) === BUSY) return undefined;
    throw toStorageError(error);
  }
  return {
    release() {
      if (db.isOpen) db.close();
    },
  };
}
