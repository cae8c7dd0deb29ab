import type { ProtocolError, RequestId, TurnoverMap } from '../../jsonrpc/index.js';
import type { ClientDescription, LogLevel, ServerDescription } from '../../model/index.js';
import {
  ASSUMED_LEGACY,
  hasLegacyTasks,
  HEADER_REVISION,
  isLegacyRevision,
  type LegacyRevision,
} from '../../wire/index.js';
import type { ExchangeHeaders } from '../exchange.js';
import type { MaybePromise } from '../maybe-promise.js';
import type { AskDesk } from './ask-desk.js';
import type { ChangeDesk } from './change-desk.js';
import type { SessionRecord } from './session-store.js';

/** A call that its client, or the end of its session, can end. */
export interface SessionCall {
  cancel(reason?: string): void;
  stop(reason: string): void;
}

/** What a request needs of the session it belongs to. */
export interface PeerSession {
  readonly id: string;
  readonly calls: TurnoverMap<RequestId, SessionCall>;
  readonly asks: AskDesk;
  readonly changes: ChangeDesk;
  readonly revision: LegacyRevision;
  /** Why a request with this id may not run now. */
  refuses(id: RequestId): ProtocolError | undefined;
  /** Remembers what the client changed. */
  change(changes: SessionChanges): MaybePromise<void>;
  /** The client does not want the answer to this request any more. */
  cancelCall(id: RequestId, reason?: string): void;
  /** Rejects, or throws, with a protocol error when the resource cannot be subscribed to. */
  subscribe(uri: string): MaybePromise<void>;
  unsubscribe(uri: string): MaybePromise<void>;
  /** Sends a message that belongs to no request. */
  notify(text: string): void;
}

export type SessionChanges = Partial<
  Pick<SessionRecord, 'initialized' | 'logLevel' | 'home' | 'subscriptions'>
>;

/** Who is at the other end of a legacy request, with a session or without. */
export interface LegacyPeer {
  readonly principal: string;
  readonly revision: LegacyRevision;
  readonly description: ServerDescription;
  readonly logLevel: LogLevel | undefined;
  readonly session: PeerSession | undefined;
  /** What the client can do for a request whose reply can, or cannot, carry messages to it. */
  clientFor(carriesMessages: boolean): ClientDescription;
}

/** What a request without a session is in: it says so itself, or nothing is known. */
export function statelessRevision(headers: ExchangeHeaders): LegacyRevision {
  const named = headers[HEADER_REVISION]?.trim();
  return isLegacyRevision(named) ? named : ASSUMED_LEGACY;
}

const UNKNOWN_CLIENT: ClientDescription = { info: undefined, capabilities: {} };

/** A client that is served without a session: every request stands for itself. */
export function createStatelessPeer(
  principal: string,
  revision: LegacyRevision,
  description: ServerDescription,
): LegacyPeer {
  return {
    principal,
    revision,
    description,
    logLevel: undefined,
    session: undefined,
    clientFor: () => UNKNOWN_CLIENT,
  };
}

/** Whether this client knows tasks. They are its principal's, so it need have no session. */
export function knowsTasks({ revision }: LegacyPeer): boolean {
  return hasLegacyTasks(revision);
}
