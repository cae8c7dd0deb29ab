import type { ClientDescription, LogLevel } from '../../model/index.js';
import type { LegacyRevision } from '../../wire/index.js';
import type { MaybePromise } from '../maybe-promise.js';

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
  update(record: SessionRecord): MaybePromise<void>;
  remove(principal: string, id: string): MaybePromise<void>;
  /** The listener hears of sessions that ended without `remove`. One listener. */
  onExpired?(listener: (principal: string, id: string) => void): void;
}
