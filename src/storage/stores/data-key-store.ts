import { randomBytes } from 'node:crypto';
import { HubError, type Clock } from '../../kernel/index.js';
import type { Db } from '../database.js';
import type { Sealer } from '../sealer.js';

/**
 * Random keys for other purposes, sealed with the master key. What they seal or sign need not be touched when the master
 * key is changed: recorded arguments are part of the event chain, which must not change.
 */
export interface DataKeyStore {
  /** 32 bytes. Made at the first use of the name; every hub on the store gets the same. */
  require(name: string): Promise<Buffer>;
}

const KEY_BYTES = 32;

export function createDataKeyStore(db: Db, sealer: Sealer, clock: Clock): DataKeyStore {
  const find = async (name: string): Promise<Buffer | undefined> => {
    const row = await db.selectFrom('data_keys').selectAll().where('name', '=', name).executeTakeFirst();
    return row === undefined
      ? undefined
      : Buffer.from(sealer.open(row.sealed, dataKeySeal(name)), 'base64url');
  };
  return {
    async require(name) {
      const known = await find(name);
      if (known !== undefined) return known;
      const sealed = sealer.seal(randomBytes(KEY_BYTES).toString('base64url'), dataKeySeal(name));
      await db
        .insertInto('data_keys')
        .values({ name, sealed, master_key_id: sealer.activeKeyId, created_at: clock.now() })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      // Another hub may have been first.
      const kept = await find(name);
      if (kept === undefined) throw new HubError('storage_unavailable', 'a key that was saved is not found');
      return kept;
    },
  };
}

/** Where a data key belongs. */
export function dataKeySeal(name: string) {
  return { table: 'data_keys', record: name, field: 'sealed' };
}
