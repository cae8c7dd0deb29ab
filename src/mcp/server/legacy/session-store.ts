import type { ClientDescription, LogLevel } from '../../model/index.js';
import type { LegacyRevision } from '../../wire/index.js';
import type { MaybePromise } from '../maybe-promise.js';
import type { SessionEndReason } from '../server-event.js';

/** What is known of a session apart from its open streams and running calls: it could be moved to another process. */
export interface SessionRecord {
  readonly id: string;
  readonly principal: string;
  readonly revision: LegacyRevision;
  readonly client: ClientDescription;
  readonly createdAt: number;
  /** Whether the client confirmed the handshake. Before that it is not asked anything. */
  readonly initialized: boolean;
  readonly logLevel: LogLevel | undefined;
  /** Which of several processes tells the client what it did not ask for. */
  readonly home?: string;
  /** Resources it wants to hear of. Only where another process may have to go on with them. */
  readonly subscriptions?: readonly string[];
}

/** Thrown by a store that may work again shortly. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/**
 * Keeps sessions. A session is only ever found together with its principal: whoever else names its id learns nothing.
 * Implementations that answer at once should return values, not promises: this is on the path of every request.
 */
export interface SessionStore {
  /** False when the principal, or the store, has as many sessions as it may have. */
  add(record: SessionRecord): MaybePromise<boolean>;
  /** Finding a session counts as using it. */
  find(principal: string, id: string): MaybePromise<SessionRecord | undefined>;
  /** `changes` is what is different about it, for stores that others write to at the same time. */
  update(record: SessionRecord, changes?: Partial<SessionRecord>): MaybePromise<void>;
  remove(principal: string, id: string): MaybePromise<void>;
  /**
   * The listener hears of sessions that ended without `remove`: by age, unless another reason is given. `closed`: only this
   * process has nothing to do with it any more. One listener.
   */
  onExpired?(listener: (principal: string, id: string, reason?: SessionEndReason) => void): void;
  /** The listener hears of records that another process changed, as far as this one uses them. One listener. */
  onChanged?(listener: (record: SessionRecord) => void): void;
}
