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
  /** The same, and to how many processes it was handed, this one among them. 0: it could not be sent yet. */
  reach(topic: string, message: string): Promise<number>;
  /** To one process only, by its `self`. False: nobody goes by that name. Throws `storage_unavailable` if nobody can tell. */
  send(to: string, topic: string, message: string): Promise<boolean>;
  /** The publisher hears its own messages too. Returns how to stop. */
  subscribe(topic: string, listener: (message: string | undefined) => void): () => void;
}

export interface ListBounds {
  /** How long after the last addition the whole list is forgotten. */
  readonly ttlMs: number;
  /** What is more is forgotten, the oldest first. */
  readonly items: number;
  /** In UTF-8. */
  readonly bytes: number;
}

export interface TokenWish {
  readonly perSecond: number;
  /** What is saved up at most. */
  readonly burst: number;
  /** How many are wanted, at most. */
  readonly atMost: number;
}

export interface TokenGrant {
  readonly granted: number;
  /** When none was granted: how long until there is one. */
  readonly waitMs: number;
}

/**
 * Small things that all processes see, each for a limited time. It may lose everything at once, and whoever uses it lives
 * with that. Every method throws `storage_unavailable` while it cannot be reached.
 */
export interface SharedStore {
  /** With `keepMs` it is kept for that long from now. */
  get(key: string, keepMs?: number): Promise<string | undefined>;
  set(key: string, value: string, ttlMs: number): Promise<void>;
  /** Only where there is none. */
  add(key: string, value: string, ttlMs: number): Promise<boolean>;
  /** Only where it is still `before`. */
  replace(key: string, before: string, after: string, ttlMs: number): Promise<boolean>;
  delete(key: string): Promise<void>;
  /** Adds to the end of a list. */
  push(key: string, value: string, bounds: ListBounds): Promise<void>;
  /** Oldest first; empty where there is none. */
  list(key: string): Promise<readonly string[]>;
  /** Makes somebody a member of a group, or keeps a member in it. False: the group is full. */
  join(
    group: string,
    member: string,
    bounds: { readonly ttlMs: number; readonly most: number },
  ): Promise<boolean>;
  leave(group: string, member: string): Promise<void>;
  /** Takes out the member whose time is over first, where no more than this is left of it, and tells which it was. */
  dismiss(group: string, leftMs: number): Promise<string | undefined>;
  /** From a bucket that fills steadily and is full at first. */
  takeTokens(bucket: string, wish: TokenWish): Promise<TokenGrant>;
}

/** Short-lived state that processes share. */
export interface Coordination {
  readonly kind: 'memory' | 'redis' | 'workers';
  /** By which name this process is sent messages: twelve letters and digits, another one after each start. */
  readonly self: string;
  readonly locks: Locks;
  readonly feed: Feed;
  readonly store: SharedStore;
  /** Whether it can be used, as far as is known without asking. */
  readonly available: boolean;
  /** Throws `storage_unavailable` if it cannot be used. */
  check(): Promise<void>;
  /** May be called twice. */
  close(): Promise<void>;
}

export interface AskOptions {
  readonly timeoutMs: number;
  /** Whether one who cannot be reached is tried again for some seconds. Default: there is no answer then, at once. */
  readonly patient?: boolean;
  /** Whoever is asked is told that nobody wants the answer any more. */
  readonly signal?: AbortSignal;
  /** What is said before the answer. */
  readonly onNote?: (note: string) => void;
}

export interface AskedMore {
  /** Says something before the answer. */
  readonly note: (text: string) => void;
  /** Aborted when nobody wants the answer any more. */
  readonly signal: AbortSignal;
}

/** One who answers what other processes ask. */
export interface LineListener {
  told?(from: string, message: string): void;
  /** What it throws is answered as silence. */
  asked?(from: string, message: string, more: AskedMore): Promise<string>;
  /** Messages may have been lost. */
  missed?(): void;
}

/** Messages between processes, with answers. What they hold cannot be read or made up by whoever else reaches the feed. */
export interface Switchboard {
  readonly self: string;
  /** To one process, or to all others. */
  tell(to: string | undefined, line: string, message: string): void;
  /** Undefined: nobody is there, or no answer came in time. */
  ask(to: string, line: string, message: string, options: AskOptions): Promise<string | undefined>;
  /** Whether nobody goes by that name any more, for some seconds at least. Throws `storage_unavailable` if nobody can tell. */
  isGone(name: string): Promise<boolean>;
  /** Returns how to stop. */
  serve(line: string, listener: LineListener): () => void;
}
