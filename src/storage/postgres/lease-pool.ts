import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';
import { HubError } from '../../kernel/index.js';
import { postgresStateOf } from '../storage-errors.js';
import type { SilenceWatch } from './silence-watch.js';

/**
 * A pool that ends when its users have finished: the one of `pg` forgets those who wait for a connection. And a
 * connection that failed other than by an answer of the server may be in any state: it is closed, not used again.
 */
export class LeasePool implements PostgresPool {
  readonly #pool: pg.Pool;
  readonly #silence: SilenceWatch;
  #users = 0;
  #ending: Promise<void> | undefined;
  #lastLeft: (() => void) | undefined;

  constructor(pool: pg.Pool, silence: SilenceWatch) {
    this.#pool = pool;
    this.#silence = silence;
  }

  async connect(): Promise<PostgresPoolClient> {
    if (this.#ending !== undefined) throw new HubError('storage_unavailable', 'the store is closed');
    this.#users++;
    try {
      return new Lease(await this.#pool.connect(), this.#silence, () => this.#leave());
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  end(): Promise<void> {
    return (this.#ending ??= this.#end());
  }

  async #end(): Promise<void> {
    if (this.#users > 0) await new Promise<void>((resolve) => (this.#lastLeft = resolve));
    await this.#pool.end();
  }

  #leave(): void {
    this.#users--;
    if (this.#users === 0) this.#lastLeft?.();
  }
}

class Lease implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  readonly #silence: SilenceWatch;
  readonly #released: () => void;
  #broken = false;

  constructor(client: pg.PoolClient, silence: SilenceWatch, released: () => void) {
    this.#client = client;
    this.#silence = silence;
    this.#released = released;
  }

  query<R>(statement: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(
    statement: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof statement !== 'string') throw new HubError('internal', 'results are not streamed');
    return this.#run<R>(statement, parameters);
  }

  async #run<R>(statement: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    const client = this.#client;
    // Ends the connection under the statement, which fails by that.
    const heard = this.#silence.begin(() => void client.end().catch(() => {}));
    try {
      const answer: unknown = await client.query(statement, [...parameters]);
      return answer as PostgresQueryResult<R>;
    } catch (error) {
      this.#broken ||= postgresStateOf(error) === undefined;
      throw error;
    } finally {
      heard();
    }
  }

  release(): void {
    this.#client.release(this.#broken);
    this.#released();
  }
}
