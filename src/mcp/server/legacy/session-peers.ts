import type { JsonObject } from '../../jsonrpc/index.js';
import type { MaybePromise } from '../maybe-promise.js';
import type { SessionKey } from './event-store.js';

/** What one process hears of the others. */
export interface PeerListener {
  told(from: string, key: SessionKey, message: JsonObject): void;
  /** Undefined: it has nothing to do with that session. */
  asked(from: string, key: SessionKey, message: JsonObject): MaybePromise<JsonObject | undefined>;
  /** Messages may have been lost. */
  missed(): void;
}

/**
 * Other processes that serve the same sessions. A client's requests reach any of them; what only one of them can do is
 * handed to it. Messages are the server's own and only have to arrive.
 */
export interface SessionPeers {
  /** The name of this process: letters and digits, all names of the same length, at most 16. */
  readonly self: string;
  /** All others have ended: nobody else will read what this process keeps of its streams. */
  readonly isAlone?: boolean;
  /** To one process, or to all others. */
  tell(to: string | undefined, key: SessionKey, message: JsonObject): void;
  /** Undefined: it is gone, did not answer in time, or has nothing to do with the session. */
  ask(to: string, key: SessionKey, message: JsonObject): Promise<JsonObject | undefined>;
  /** Whether nobody goes by that name any more. False where nobody can tell. */
  isGone(name: string): Promise<boolean>;
  /** One listener. */
  listen(listener: PeerListener): void;
}
