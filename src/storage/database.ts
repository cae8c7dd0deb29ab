import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './tables.js';

export type Db = Kysely<Tables>;

/** What the stores need to know of the database they stand on. */
export interface Database {
  readonly kind: 'sqlite' | 'postgres';
  readonly db: Db;
  hasTable(name: keyof Tables): Promise<boolean>;
  /** Inside a transaction: no other process changes the schema until it ends. */
  lockSchema(transaction: Transaction<Tables>): Promise<void>;
  /** Bytes taken by the data, not counting what was freed. */
  usedBytes(): Promise<number>;
  /** May be called twice. */
  close(): Promise<void>;
}
