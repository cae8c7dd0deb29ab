import type { Kysely, RawBuilder, Transaction } from 'kysely';
import type { Tables } from './tables.js';

export type Db = Kysely<Tables>;

/** What the stores need to know of the database they stand on. */
export interface Database {
  readonly kind: 'sqlite' | 'postgres';
  readonly db: Db;
  hasTable(name: keyof Tables): Promise<boolean>;
  /** Inside a transaction: no other process changes the schema until it ends. */
  lockSchema(transaction: Transaction<Tables>): Promise<void>;
  /** Inside a transaction: whoever else asks for this name waits until it ends. */
  lock(transaction: Transaction<Tables>, name: string): Promise<void>;
  /** The database's own time in milliseconds. */
  readonly now: RawBuilder<number>;
  /** Bytes taken by the data, not counting what was freed. */
  usedBytes(): Promise<number>;
  /** May be called twice. */
  close(): Promise<void>;
}
