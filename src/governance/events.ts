import type { AgentId, CallId, ConnectorId, HubErrorCode } from '../kernel/index.js';

/** Who caused it: an agent, an admin, or the hub itself. */
export type Actor =
  /** `admin`: who made the agent act, where it did not act itself. */
  | { readonly kind: 'agent'; readonly id: AgentId; readonly admin?: string }
  /** `request`: the id that the answer carried. */
  | { readonly kind: 'admin'; readonly id: string; readonly request?: string }
  | { readonly kind: 'hub' };

export type CallOutcome =
  | 'ok'
  | 'tool_error'
  | 'denied'
  | 'invalid'
  | 'failed'
  | 'cancelled'
  | 'outcome_unknown';

/** What happened to arguments in the log: a keyed hash and the size, or the encrypted text where the operator chose so. */
export interface RecordedArguments {
  readonly bytes: number;
  readonly hash?: string;
  readonly sealed?: string;
}

export interface CallFacts {
  readonly callId: CallId;
  readonly connector: ConnectorId;
  /** The upstream's own name, with what was asked of it. */
  readonly target: string;
  readonly exposedName: string;
  readonly method: string;
}

interface AccountFacts {
  readonly connector: ConnectorId;
  /** `shared`, or the id of an agent. */
  readonly owner: string;
  readonly account: string;
}

/** Everything the log can hold. */
export type HubEvent =
  | ({
      readonly type: 'call.intended';
      readonly arguments: RecordedArguments;
      readonly policies: readonly string[];
      readonly trace?: string;
      /** The process that makes the call. */
      readonly instance?: string;
    } & CallFacts)
  | ({
      readonly type: 'call.finished';
      readonly outcome: CallOutcome;
      readonly error?: HubErrorCode;
      readonly durationMs: number;
      readonly resultBytes?: number;
      readonly warnings?: readonly string[];
    } & CallFacts)
  | {
      readonly type: 'call.refused';
      readonly callId: CallId;
      readonly exposedName: string;
      readonly method: string;
      readonly outcome: CallOutcome;
      readonly error: HubErrorCode;
      readonly connector?: ConnectorId;
      readonly policies?: readonly string[];
    }
  | {
      readonly type: 'call.repeated';
      readonly callId: CallId;
      /** The call whose answer was given again. */
      readonly of: CallId;
      readonly connector: ConnectorId;
      readonly exposedName: string;
    }
  | {
      readonly type: 'question.refused';
      readonly connector: ConnectorId;
      readonly method: string;
      readonly reason: 'unattributed' | 'undeclared' | 'unanswered';
      readonly callId?: CallId;
    }
  | {
      readonly type: 'question.reduced';
      readonly method: string;
      readonly revision: string;
      readonly lost: readonly string[];
      readonly connector?: ConnectorId;
    }
  | {
      readonly type: 'answer.reduced';
      readonly connector: ConnectorId;
      readonly exposedName: string;
      readonly method: string;
      readonly revision: string;
      readonly lost: readonly string[];
    }
  | {
      readonly type: 'progress.dropped';
      readonly callId: CallId;
      readonly connector: ConnectorId;
      readonly count: number;
    }
  | {
      readonly type: 'connector.added' | 'connector.changed' | 'connector.removed';
      readonly connector: ConnectorId;
      readonly before?: string;
      readonly after?: string;
    }
  | {
      readonly type: 'connector.synced';
      readonly connector: ConnectorId;
      readonly tools: number;
      readonly added: number;
      readonly removed: number;
      readonly changed: number;
      readonly listedAs: string;
      /** How many tools changed and are held back. */
      readonly held?: number;
    }
  | {
      readonly type: 'connector.sync_failed';
      readonly connector: ConnectorId;
      readonly error: HubErrorCode;
      readonly reason: string;
    }
  | {
      readonly type: 'connector.health';
      readonly connector: ConnectorId;
      readonly from: string;
      readonly to: string;
      readonly reason?: string;
    }
  | {
      readonly type: 'connector.pin_broken';
      readonly connector: ConnectorId;
      readonly file: string;
      /** SHA-256 in hex. */
      readonly expected: string;
      readonly found?: string;
      readonly reason: string;
    }
  | {
      readonly type: 'connector.breaker_opened';
      readonly connector: ConnectorId;
      readonly failures: number;
      readonly reason: string;
    }
  | {
      readonly type: 'connector.breaker_closed';
      readonly connector: ConnectorId;
      readonly openMs: number;
    }
  | {
      readonly type: 'agent.added' | 'agent.changed' | 'agent.removed';
      readonly agent: AgentId;
      readonly before?: string;
      readonly after?: string;
    }
  | {
      readonly type: 'key.added' | 'key.revoked';
      readonly agent: AgentId;
      readonly key: string;
      readonly before?: string;
      readonly after?: string;
    }
  | {
      readonly type: 'credential.saved' | 'credential.removed';
      readonly connector: ConnectorId;
      readonly owner: string;
      readonly before?: string;
      readonly after?: string;
    }
  | ({ readonly type: 'account.connecting' | 'account.renewed' | 'account.chosen' } & AccountFacts)
  | ({
      readonly type: 'account.connected';
      readonly issuer: string;
      readonly scopes: readonly string[];
    } & AccountFacts)
  | ({ readonly type: 'account.refused'; readonly error: HubErrorCode } & Partial<AccountFacts>)
  | ({ readonly type: 'account.needs_sign_in' | 'account.failed'; readonly reason: string } & AccountFacts)
  | ({ readonly type: 'account.disconnected'; readonly revoked: boolean } & AccountFacts)
  | {
      readonly type: 'policy.changed';
      readonly policy: string;
      readonly version: number;
      readonly before?: string;
      readonly after?: string;
    }
  | {
      readonly type: 'config.reloaded' | 'config.refused';
      readonly reason?: string;
      readonly changed?: readonly string[];
    }
  | { readonly type: 'auth.refused'; readonly surface: 'mcp' | 'admin' | 'sign_in'; readonly reason: string }
  | {
      readonly type: 'session.started';
      /** Names it here only; nobody gets in with it. */
      readonly session: string;
      readonly way: 'link' | 'token' | 'key' | 'single_sign_on';
      readonly role?: string;
    }
  | {
      readonly type: 'session.ended';
      readonly session: string;
      readonly reason: 'signed_out' | 'replaced';
    }
  | {
      readonly type: 'admin.added' | 'admin.removed';
      readonly admin: string;
      readonly role: string;
      readonly before?: string;
      readonly after?: string;
    }
  | {
      readonly type: 'master_key.rotated';
      readonly from: string;
      readonly to: string;
      readonly resealed: number;
      readonly unreadable: number;
    }
  | { readonly type: 'client.registered'; readonly client: string; readonly name: string }
  | {
      readonly type: 'client.authorized';
      readonly client: string;
      readonly name: string;
      readonly agent: AgentId;
      readonly scopes: readonly string[];
    }
  | {
      readonly type: 'client.revoked';
      readonly client: string;
      readonly name: string;
      readonly agent: AgentId;
    }
  | {
      readonly type: 'events.exported';
      /** What was asked for, by the names of the filters. */
      readonly filters: Readonly<Record<string, string>>;
      /** The last event of the export. */
      readonly upTo: number;
    }
  | { readonly type: 'hub.started' | 'hub.stopped'; readonly version: string }
  | { readonly type: 'hub.recovered'; readonly unfinishedCalls: number };

export type HubEventType = HubEvent['type'];

/** What is about to be kept. */
export interface NewEvent {
  readonly at: number;
  readonly actor: Actor;
  readonly event: HubEvent;
}

/** A kept event. `hash` covers everything before it, so that a changed or missing row is found. */
export interface EventRecord {
  readonly sequence: number;
  readonly at: number;
  readonly actor: Actor;
  readonly event: HubEvent;
  readonly previousHash: string;
  readonly hash: string;
  /** Filed under other names or another time than it has: filters do not find it, or find it for something else. */
  readonly isMisfiled?: boolean;
}

export interface EventQuery {
  readonly agent?: AgentId;
  readonly connector?: ConnectorId;
  readonly type?: HubEventType;
  readonly outcome?: CallOutcome;
  readonly callId?: CallId;
  /** The exposed name of what was called. */
  readonly tool?: string;
  /** Sequence numbers, exclusive. */
  readonly after?: number;
  readonly before?: number;
  /** Times: since inclusive, until exclusive. */
  readonly since?: number;
  readonly until?: number;
  readonly limit: number;
  /** Beyond so many bytes of what is kept no more are read, even where fewer than the limit were found; one always is. */
  readonly maxBytes?: number;
  readonly order: 'newest' | 'oldest';
}

/** Events in the order that was asked for. */
export interface EventPage extends ReadonlyArray<EventRecord> {
  /** Ended by `maxBytes`: more may follow. */
  readonly isCut?: true;
}

/** What can be read, looked through and written out before others get their turn. */
export const BYTES_PER_PAGE = 1_048_576;

export interface EventReader {
  query(query: EventQuery): Promise<EventPage>;
  last(): Promise<EventRecord | undefined>;
  /** Intents without an outcome, oldest first. Also those that are running now. */
  unfinishedCalls(): Promise<readonly EventRecord[]>;
}

export interface EventStore extends EventReader {
  /**
   * All or none. Throws `conflict` unless the rows continue the chain: then another hub has continued it. After
   * `storage_unavailable` the rows may be kept or not; `last()` tells.
   */
  append(records: readonly EventRecord[]): Promise<void> | void;
  /** Where a group costs little beside its events: so many calls that wait for it need not wait for those of the same turn. */
  readonly fullGroup?: number | undefined;
  /**
   * For stores with several writers: appends behind whatever is last, while all others wait their turn. `chain` may be
   * called once. Throws as `append` does, but not for want of a turn.
   */
  appendBehind?(
    chain: (last: { readonly sequence: number; readonly hash: string }) => readonly EventRecord[],
  ): Promise<void>;
  /**
   * For stores whose chain others continue all the time: puts these behind whatever is last, all or none. Preferred to
   * the two above where it exists.
   */
  appendNext?(events: readonly NewEvent[]): Promise<readonly EventRecord[]>;
  /** Removes the oldest rows up to and including `sequence`, remembering the hash the rest continues from. */
  trim(sequence: number): Promise<void>;
  /** What the first kept row must name as its predecessor. */
  anchor(): Promise<{ readonly sequence: number; readonly hash: string }>;
  count(): Promise<number>;
}
