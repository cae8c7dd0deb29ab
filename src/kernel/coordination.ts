/** Something one process of the hub holds at a time. */
export interface Lock {
  /** Aborted when it is no longer certain that nobody else holds it. */
  readonly lost: AbortSignal;
  /** May be called twice; never releases what somebody else holds by now. */
  release(): Promise<void>;
}

export interface LockOptions {
  /** For how long it is held if its holder dies. A living holder keeps it. */
  readonly leaseMs: number;
  /** How long to wait for it. */
  readonly waitMs: number;
  readonly signal?: AbortSignal;
}

/** Locks between all processes that share one store. */
export interface Locks {
  /** Undefined if it was not free in time. */
  acquire(name: string, options: LockOptions): Promise<Lock | undefined>;
}

/** What one process tells all others. Messages may be lost while the connection is; listeners then hear `undefined`: look yourself. */
export interface Feed {
  publish(topic: string, message: string): void;
  /** The publisher hears its own messages too. Returns how to stop. */
  subscribe(topic: string, listener: (message: string | undefined) => void): () => void;
}

/** Short-lived state that processes share. */
export interface Coordination {
  readonly kind: 'memory' | 'redis';
  readonly locks: Locks;
  readonly feed: Feed;
  /** Whether it can be used, as far as is known without asking. */
  readonly available: boolean;
  /** Throws `storage_unavailable` if it cannot be used. */
  check(): Promise<void>;
  /** May be called twice. */
  close(): Promise<void>;
}
