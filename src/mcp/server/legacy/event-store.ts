import type { MaybePromise } from '../maybe-promise.js';

/** One message as it was sent on a stream. */
export interface StoredEvent {
  /** Which stream of the session. */
  readonly stream: string;
  /** Position in the stream, counted from 1. */
  readonly seq: number;
  /** One JSON-RPC message. */
  readonly text: string;
}

/** Events of one stream, one after another. */
export interface StoredRun {
  readonly stream: string;
  /** The position of the first. */
  readonly firstSeq: number;
  readonly count: number;
  textAt(index: number): string;
  lengthAt(index: number): number;
}

/** Whose events: a session is only ever named together with its principal. */
export interface SessionKey {
  readonly principal: string;
  readonly session: string;
}

/** Keeps what was sent on the streams of sessions for clients that come back. It may forget; it may not mix sessions. */
export interface EventStore {
  append(key: SessionKey, event: StoredEvent): MaybePromise<void>;
  /** The same for all that was said at once; without this method they come one by one. */
  appendRun?(key: SessionKey, run: StoredRun): MaybePromise<void>;
  /** The kept events of a stream after a position, in order; undefined when nothing is kept of that stream. */
  read(key: SessionKey, stream: string, afterSeq: number): MaybePromise<readonly StoredEvent[] | undefined>;
  /** The session ended. */
  forget(key: SessionKey): MaybePromise<void>;
}
