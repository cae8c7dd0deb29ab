import { HubError } from '../../kernel/index.js';
import type { Db } from '../database.js';

/** Small facts the hub must find again, by name. Not for secrets. */
export interface SettingsStore {
  find(key: string): Promise<string | undefined>;
  save(key: string, value: string): Promise<void>;
  /** Keeps the first value anyone saves, and returns the one that is kept. */
  saveOnce(key: string, value: string): Promise<string>;
  remove(key: string): Promise<void>;
}

/** Keys with this beginning are the store's own. */
const RESERVED_PREFIX = 'storage.';

export function createSettingsStore(db: Db): SettingsStore {
  const find = async (key: string): Promise<string | undefined> => {
    const row = await db
      .selectFrom('settings')
      .select('value')
      .where('key', '=', requireFree(key))
      .executeTakeFirst();
    return row === undefined ? undefined : (JSON.parse(row.value) as string);
  };
  return {
    find,

    async save(key, value) {
      const row = { key: requireFree(key), value: JSON.stringify(value) };
      await db
        .insertInto('settings')
        .values(row)
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: row.value }))
        .execute();
    },

    async saveOnce(key, value) {
      const row = { key: requireFree(key), value: JSON.stringify(value) };
      await db
        .insertInto('settings')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      return (await find(key)) ?? value;
    },

    async remove(key) {
      await db.deleteFrom('settings').where('key', '=', requireFree(key)).execute();
    },
  };
}

function requireFree(key: string): string {
  if (key.startsWith(RESERVED_PREFIX))
    throw new HubError('invalid_request', 'this setting belongs to the store itself');
  return key;
}
