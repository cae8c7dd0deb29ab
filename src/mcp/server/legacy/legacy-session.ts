import {
  INTERNAL_ERROR,
  INVALID_REQUEST,
  ProtocolError,
  TurnoverMap,
  type RequestId,
} from '../../jsonrpc/index.js';
import type { ClientDescription, LogLevel, ServerDescription } from '../../model/index.js';
import type { LegacyRevision } from '../../wire/index.js';
import type { Core } from '../core.js';
import type { MaybePromise } from '../maybe-promise.js';
import type { SessionEndReason } from '../server-event.js';
import { AskDesk } from './ask-desk.js';
import { ChangeDesk } from './change-desk.js';
import type { LegacyPeer, PeerSession, SessionCall, SessionChanges } from './legacy-peer.js';
import type { SessionRecord } from './session-store.js';

/** One conversation with a legacy client, over HTTP or over a channel. */
export abstract class LegacySession implements LegacyPeer, PeerSession {
  readonly description: ServerDescription;
  readonly calls = new TurnoverMap<RequestId, SessionCall>();
  readonly asks: AskDesk;
  readonly changes: ChangeDesk;
  protected readonly core: Core;
  #record: SessionRecord;
  #silent: ClientDescription | undefined;
  #ended = false;

  constructor(core: Core, record: SessionRecord, description: ServerDescription) {
    this.core = core;
    this.description = description;
    this.#record = record;
    this.asks = new AskDesk(core.askDeadlines, core.self);
    this.changes = new ChangeDesk(core, this, description.capabilities, (text) => this.tell(text));
  }

  /** To be called once, when the session is complete: a session that was taken over may have changes to tell at once. */
  begin(): void {
    if (this.#record.initialized && this.hearsChanges) this.hear();
  }

  protected hear(): void {
    this.changes.open();
  }

  /** Somebody else tells the client. */
  protected fallSilent(): void {}

  /** Whether there is a way to tell the client of what it did not ask for. */
  protected get hearsChanges(): boolean {
    return true;
  }

  get session(): this {
    return this;
  }
  get record(): SessionRecord {
    return this.#record;
  }
  set record(record: SessionRecord) {
    this.#record = record;
    if (!record.initialized || this.#ended) return;
    if (this.hearsChanges) this.hear();
    else this.fallSilent();
  }
  get id(): string {
    return this.#record.id;
  }
  get principal(): string {
    return this.#record.principal;
  }
  get revision(): LegacyRevision {
    return this.#record.revision;
  }
  get logLevel(): LogLevel | undefined {
    return this.#record.logLevel;
  }
  get ended(): boolean {
    return this.#ended;
  }

  /** A client that cannot be reached during a request, or is not ready yet, is one that cannot be asked anything. */
  clientFor(carriesMessages: boolean): ClientDescription {
    const { client, initialized } = this.#record;
    if (carriesMessages && initialized) return client;
    if (this.#silent === undefined) {
      const { roots: _r, sampling: _s, elicitation: _e, ...capabilities } = client.capabilities;
      this.#silent = { info: client.info, capabilities };
    }
    return this.#silent;
  }

  /** Why a request with this id may not run now. */
  refuses(id: RequestId): ProtocolError | undefined {
    if (this.calls.has(id))
      return new ProtocolError(INVALID_REQUEST, 'The id is in use by a request in flight');
    if (this.calls.size < this.core.limits.inFlightPerSession) return undefined;
    this.core.observe({ type: 'limit_reached', limit: 'in_flight' });
    return new ProtocolError(INTERNAL_ERROR, 'Too many requests in flight');
  }

  /** Remembers what the client changed. */
  abstract change(changes: SessionChanges): MaybePromise<void>;

  cancelCall(id: RequestId, reason?: string): void {
    this.calls.get(id)?.cancel(reason);
  }

  subscribe(uri: string): MaybePromise<void> {
    return this.changes.subscribe(uri);
  }

  unsubscribe(uri: string): MaybePromise<void> {
    this.changes.unsubscribe(uri);
  }

  notify(text: string): void {
    if (!this.#ended) this.tell(text);
  }

  /** Sends a message that belongs to no request. */
  protected abstract tell(text: string): void;

  end(reason: SessionEndReason): void {
    if (this.#ended) return;
    this.#ended = true;
    this.changes.close();
    this.asks.failAll('The session ended');
    for (const call of this.calls.values()) call.stop('The session ended');
    this.core.observe({ type: 'session_ended', reason });
    this.core.sessionEnded(this.principal, this.id, reason);
  }
}
