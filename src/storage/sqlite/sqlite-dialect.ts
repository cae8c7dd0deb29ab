import {
  CompiledQuery,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type SqliteDatabase,
} from 'kysely';
import { GuardedDriver } from '../statement-guard.js';
import type { SqliteConnection } from './sqlite-connection.js';

/** Kysely on an open connection. Closing the connection stays with whoever opened it. */
export function createSqliteDialect(connection: SqliteConnection): Dialect {
  return {
    createDriver: () => new GuardedDriver(new ImmediateDriver(connection)),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/** Takes the write lock when a transaction begins: one that reads first can then not fail at its first write. */
class ImmediateDriver extends SqliteDriver {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    super({ database: adapt(connection) });
    this.#connection = connection;
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  override async rollbackTransaction(): Promise<void> {
    this.#connection.rollBack();
  }
}

function adapt(connection: SqliteConnection): SqliteDatabase {
  return {
    prepare(sql) {
      const statement = connection.prepare(sql);
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => connection.attempt<unknown[]>(() => statement.all(...parameters)),
        run: (parameters) => connection.attempt(() => statement.run(...parameters)),
        iterate: (parameters) =>
          connection.attempt<IterableIterator<unknown>>(() => statement.iterate(...parameters)),
      };
    },
    close() {},
  };
}
