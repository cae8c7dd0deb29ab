import type { ServerDescription } from '../model/index.js';
import type { CacheHints, LegacyRevision, ParamHeader } from '../wire/index.js';
import type { Handler, Listen } from './handler.js';
import type { StateSeal } from './input/state-seal.js';
import type { EventStore } from './legacy/event-store.js';
import type { SessionPeers } from './legacy/session-peers.js';
import type { SessionStore } from './legacy/session-store.js';
import type { MaybePromise } from './maybe-promise.js';
import type { ServerEvent, SessionEndReason } from './server-event.js';
import type { TaskPort } from './tasks/task-port.js';

/** What a server offers. `describe` and `handlers` are required. */
export interface ServerOptions {
  /** What the server tells of itself. A method whose capability is not among this is unknown to clients. */
  readonly describe: ServerDescription | ((principal: string) => MaybePromise<ServerDescription>);
  /** By method name: `tools/list`, `tools/call`, … and methods of extensions. What the protocol itself needs is built in. */
  readonly handlers: Readonly<Record<string, Handler>>;
  /** Answers methods that neither the protocol nor `handlers` know: those of extensions. */
  readonly fallback?: Handler;
  /** How the server hears of changes. Without it there are no subscriptions and no change notifications. */
  readonly listen?: Listen;
  /** What became of calls that were answered with `TaskCreated`. Tasks have to be among the capabilities. */
  readonly tasks?: TaskPort;
  /** Which arguments of a tool are repeated in headers, so that the headers can be checked. */
  readonly paramHeaders?: (toolName: string, principal: string) => readonly ParamHeader[] | undefined;
  /** Given to results that may be cached and do not say themselves for how long. Default: not at all, `private`. */
  readonly cache?: CacheHints;
  /** `off`: every answer is one JSON document; GET and DELETE are refused. */
  readonly streaming?: 'auto' | 'off';
  /** How clients of the handshake era are served: with sessions (default), without any, or not at all. */
  readonly legacy?: 'sessions' | 'stateless' | 'off';
  /** Clients that ask for an older version are offered the newest of their era. */
  readonly oldestRevision?: LegacyRevision;
  /** Refuse requests that do not accept both JSON and event streams. */
  readonly strictAccept?: boolean;
  /** Refuse bodies sent in chunks, for parity with servers that cannot read them. */
  readonly rejectChunked?: boolean;
  readonly sessions?: SessionStore;
  /** Where events are kept for clients that lost their stream. `false`: streams cannot be resumed. */
  readonly events?: EventStore | false;
  /** Other processes that serve the same sessions, from the same stores. */
  readonly peers?: SessionPeers;
  readonly seal?: StateSeal;
  /** Whether sealed state that was opened is brought back for the first time, where the same seals are opened in several processes or after a restart. */
  readonly claimState?: (sealed: string) => Promise<boolean>;
  readonly limits?: Partial<ServerLimits>;
  /** Where several servers share what they can do. */
  readonly load?: Load;
  /** Where a call of this tool is bound for, so that calls for places that are full can be told from others. */
  readonly targetOf?: (toolName: string, principal: string) => CallTarget | undefined;
  readonly streams?: StreamSettings;
  /** Milliseconds since 1970, for tests; durations are then measured with it too. */
  readonly clock?: () => number;
  readonly onEvent?: (event: ServerEvent) => void;
  /** A session is over, as requests named it; for this process only where it is `closed`. Its requests have been told before. */
  readonly onSessionEnded?: (principal: string, session: string, reason: SessionEndReason) => void;
}

/** Counts calls that are not answered yet, and says when there are enough of them. */
export interface Load {
  begin(principal: string): void;
  end(principal: string): void;
  /** Whether a request may be read now. Asked before that, because reading it is a part of the work. */
  hasRoom(): boolean;
  /** A call that there is no room for now: it is run later, in its turn, or turned away with 503. */
  wait(principal: string, call: WaitingCall): void;
  /** True: a request for this method is turned away with 503. */
  refuses(method: string, principal: string): boolean;
}

/** One of the first two is called, once, perhaps before `wait` returns. */
export interface WaitingCall {
  /** `onDone` is called once, when it is answered or its client is gone. */
  run(onDone?: () => void): void;
  refuse(): void;
  /** How large its body is, which is kept as long as it waits. */
  readonly bytes: number;
  /** As far as it can be told from an unread call. Costs something: asked for only where it matters. */
  target(): CallTarget | undefined;
}

/** Whom a call is for. */
export interface CallTarget {
  readonly place: string;
  /** Who counts as the sender there. */
  readonly sender: string;
}

/** When answers become event streams, and how these are kept. */
export interface StreamSettings {
  /** Quiet streams get a comment this often. Default 15 s. */
  readonly keepAliveMs?: number;
  /** A request without an answer for this long is answered as a stream, so that keep-alives can flow. Default 15 s. */
  readonly upgradeAfterMs?: number;
  /** A resumable answer is disconnected this long after its stream was opened, and the client polls. Default: never. */
  readonly closeAfterMs?: number;
  /** How long clients are told to wait before they resume. Default 1 s. */
  readonly retryMs?: number;
}

/** What one client, one session and one request may take up. */
export interface ServerLimits {
  /** Requests of one session that are not answered yet. */
  readonly inFlightPerSession: number;
  /** Streams of one session opened by GET. */
  readonly streamsPerSession: number;
  readonly subscriptionsPerSession: number;
  readonly batch: number;
  readonly listens: number;
  readonly listensPerPrincipal: number;
  /** Changes kept for a session that has no stream open. */
  readonly queuedChanges: number;
  /** Progress and log messages of one request in one second; more are dropped. */
  readonly notificationsPerSecond: number;
  /** Unread bytes from which a stream counts as slow: what may be dropped is dropped, and without progress it is closed. */
  readonly slowStreamBytes: number;
  /** Unread bytes at which a stream is closed at once. */
  readonly maxStreamBytes: number;
  /** How often one request may ask its client again. */
  readonly inputRounds: number;
  /** How long a client of the handshake era may take to answer. */
  readonly askTimeoutMs: number;
  /** Pause before a handler that only asked for patience runs again. */
  readonly roundPauseMs: number;
}

/** What counts where `limits` leaves one out. */
export const DEFAULT_LIMITS: ServerLimits = {
  inFlightPerSession: 64,
  streamsPerSession: 4,
  subscriptionsPerSession: 1000,
  batch: 50,
  listens: 1024,
  listensPerPrincipal: 64,
  queuedChanges: 100,
  notificationsPerSecond: 200,
  slowStreamBytes: 64 * 1024,
  maxStreamBytes: 1024 * 1024,
  inputRounds: 8,
  askTimeoutMs: 600_000,
  roundPauseMs: 250,
};

export const DEFAULT_STREAMS: Required<Omit<StreamSettings, 'closeAfterMs'>> = {
  keepAliveMs: 15_000,
  upgradeAfterMs: 15_000,
  retryMs: 1000,
};
