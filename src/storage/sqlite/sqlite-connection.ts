import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { HubError } from '../../kernel/index.js';
import { endsSqliteTrust, toStorageError } from '../storage-errors.js';

/**
 * The one connection a hub has to its file. Statements are synchronous. Kysely's transactions are not: between their
 * statements other code of this process may run, so whoever writes directly looks at `inTransaction` first.
 */
export class SqliteConnection {
  readonly #db: DatabaseSyncInstance;
  readonly #begin: StatementSyncInstance;
  readonly #commit: StatementSyncInstance;
  #lost: HubError | undefined;

  constructor(db: DatabaseSyncInstance) {
    this.#db = db;
    this.#begin = db.prepare('begin immediate');
    this.#commit = db.prepare('commit');
  }

  get inTransaction(): boolean {
    return this.#db.isOpen && this.#db.isTransaction;
  }

  prepare(sql: string): StatementSyncInstance {
    return this.attempt(() => this.#db.prepare(sql));
  }

  exec(sql: string): void {
    this.attempt(() => this.#db.exec(sql));
  }

  /** Once the disk has refused to confirm a write, or the file is found damaged, nothing more is asked of it. */
  attempt<T>(work: () => T): T {
    if (this.#lost !== undefined) throw this.#lost;
    try {
      return work();
    } catch (error) {
      this.noteFailure(error);
      throw this.#lost ?? toStorageError(error);
    }
  }

  /** Also of another connection to the same file. */
  noteFailure(error: unknown): void {
    if (!endsSqliteTrust(error)) return;
    this.#lost = new HubError(
      'storage_unavailable',
      'the disk failed or the store is damaged: repair it and start again',
      { cause: error },
    );
  }

  /** All or nothing, within one turn of the event loop. */
  atomically(work: () => void): void {
    this.attempt(() => this.#begin.run());
    try {
      work();
      this.attempt(() => this.#commit.run());
    } catch (error) {
      this.rollBack();
      throw error;
    }
  }

  /** SQLite has rolled back by itself after some failures, such as a full disk. */
  rollBack(): void {
    if (this.inTransaction) this.#db.exec('rollback');
  }

  pragma(name: string): unknown {
    const row = this.attempt<unknown>(() => this.#db.prepare(`pragma ${name}`).get());
    return typeof row === 'object' && row !== null ? Object.values(row)[0] : undefined;
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }
}
