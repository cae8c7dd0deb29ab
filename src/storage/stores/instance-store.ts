import { sql } from 'kysely';
import type { Database } from '../database.js';

/** Which processes of the hub use the store. Times are the database's, so that the clocks of hosts need not agree. */
export interface InstanceStore {
  /** Says that an instance lives. */
  beat(id: string): Promise<void>;
  /** Those that said so within the time. */
  living(withinMs: number): Promise<ReadonlySet<string>>;
  /** Of an instance that ends in good order. */
  leave(id: string): Promise<void>;
  /** Removes those that were silent for longer. */
  forget(silentMs: number): Promise<void>;
}

export function createInstanceStore({ db, now }: Database): InstanceStore {
  return {
    async beat(id) {
      await db
        .insertInto('hub_instances')
        .values({ id, seen_at: now })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: now }))
        .execute();
    },

    async living(withinMs) {
      const rows = await db
        .selectFrom('hub_instances')
        .select('id')
        .where('seen_at', '>=', sql<number>`${now} - ${sql.lit(Math.ceil(withinMs))}`)
        .execute();
      return new Set(rows.map(({ id }) => id));
    },

    async leave(id) {
      await db.deleteFrom('hub_instances').where('id', '=', id).execute();
    },

    async forget(silentMs) {
      await db
        .deleteFrom('hub_instances')
        .where('seen_at', '<', sql<number>`${now} - ${sql.lit(Math.ceil(silentMs))}`)
        .execute();
    },
  };
}
