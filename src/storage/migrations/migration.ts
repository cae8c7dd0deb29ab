import { sql, type RawBuilder, type Transaction } from 'kysely';
import type { Tables } from '../tables.js';

/** One step of the schema. Once released it is never edited; what it forgot is the next step. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  up(transaction: Transaction<Tables>, types: ColumnTypes): Promise<void>;
}

export interface ColumnTypes {
  /** Whole numbers up to 2^53. SQLite takes only `integer` as another name of its row id. */
  readonly integer: 'integer' | 'bigint';
  /** Text that is compared and sorted: by code point in both databases, whatever the locale of the server. */
  readonly key: RawBuilder<unknown>;
  readonly text: 'text';
  /** Makes SQLite as strict about types as Postgres is. */
  readonly tableOptions: RawBuilder<unknown>;
}

export const COLUMN_TYPES: Readonly<Record<'sqlite' | 'postgres', ColumnTypes>> = {
  sqlite: { integer: 'integer', key: sql`text`, text: 'text', tableOptions: sql`strict` },
  postgres: { integer: 'bigint', key: sql`text collate "C"`, text: 'text', tableOptions: sql`` },
};
