import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, TransactionSettings } from 'kysely';
import { HubError } from '../kernel/index.js';
import { toStorageError } from './storage-errors.js';

// SQLite cuts a text at NUL without a word, Postgres refuses it, and both replace half a surrogate pair.
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/**
 * Stands between Kysely and a driver: text that would not come back as it was is refused, and failures become the hub's
 * own errors, for every statement and for both databases alike.
 */
export class GuardedDriver implements Driver {
  readonly #inner: Driver;
  readonly #guarded = new WeakMap<DatabaseConnection, GuardedConnection>();

  constructor(inner: Driver) {
    this.#inner = inner;
  }

  init(): Promise<void> {
    return this.#inner.init();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const inner = await translate(() => this.#inner.acquireConnection());
    let guarded = this.#guarded.get(inner);
    if (guarded === undefined) this.#guarded.set(inner, (guarded = new GuardedConnection(inner)));
    return guarded;
  }

  beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    return translate(() => this.#inner.beginTransaction(innerOf(connection), settings));
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return translate(() => this.#inner.commitTransaction(innerOf(connection)));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await this.#inner.rollbackTransaction(innerOf(connection));
    } catch {
      // The error that led here is the one to report; a connection that cannot roll back is not used again.
    }
  }

  releaseConnection(connection: DatabaseConnection): Promise<void> {
    return this.#inner.releaseConnection(innerOf(connection));
  }

  destroy(): Promise<void> {
    return this.#inner.destroy();
  }
}

class GuardedConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;

  constructor(inner: DatabaseConnection) {
    this.inner = inner;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    for (const parameter of query.parameters) {
      if (typeof parameter === 'string' && UNSTORABLE.test(parameter)) {
        throw new HubError('invalid_request', 'an identifier contains a character that cannot be stored');
      }
    }
    return translate(() => this.inner.executeQuery<R>(query));
  }

  streamQuery<R>(query: CompiledQuery, chunkSize?: number): AsyncIterableIterator<QueryResult<R>> {
    return this.inner.streamQuery<R>(query, chunkSize);
  }
}

function innerOf(connection: DatabaseConnection): DatabaseConnection {
  return connection instanceof GuardedConnection ? connection.inner : connection;
}

async function translate<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toStorageError(error);
  }
}
