import { randomBytes } from 'node:crypto';
import type { ClientDescription, ServerDescription } from '../../model/index.js';
import type { LegacyRevision } from '../../wire/index.js';
import type { Core } from '../core.js';
import type { MaybePromise } from '../maybe-promise.js';
import type { SessionEndReason } from '../server-event.js';
import type { EventStore } from './event-store.js';
import { HttpSession, type SessionKeeper } from './http-session.js';
import type { SessionChanges } from './legacy-peer.js';
import { isServed } from './legacy-refusals.js';
import { PeerDesk } from './peer-desk.js';
import type { SessionPeers } from './session-peers.js';
import type { SessionRecord, SessionStore } from './session-store.js';

/** The sessions of a server: what is known of them is in the store, what is open of them is here. */
export class SessionDesk implements SessionKeeper {
  readonly events: EventStore | undefined;
  readonly peers: PeerDesk | undefined;
  readonly #core: Core;
  readonly #store: SessionStore;
  readonly #live = new Map<string, HttpSession>();

  constructor(core: Core, store: SessionStore, events: EventStore | undefined, peers?: SessionPeers) {
    this.#core = core;
    this.#store = store;
    this.events = events;
    const findLive = (principal: string, id: string): HttpSession | undefined => {
      const session = this.#live.get(id);
      return session?.principal === principal ? session : undefined;
    };
    this.peers = peers === undefined ? undefined : new PeerDesk(core, peers, events, findLive);
    store.onExpired?.((principal, id, reason = 'expired') => {
      const session = findLive(principal, id);
      if (session !== undefined) this.#close(session, reason);
    });
    store.onChanged?.((record) => {
      const session = findLive(record.principal, record.id);
      if (session !== undefined) session.record = record;
    });
  }

  /** Undefined when there are too many sessions. */
  open(
    principal: string,
    revision: LegacyRevision,
    client: ClientDescription,
    description: ServerDescription,
  ): MaybePromise<HttpSession | undefined> {
    const record: SessionRecord = {
      // 256 bits: an id cannot be guessed, though guessing one would be of no use without its principal.
      id: randomBytes(32).toString('base64url'),
      principal,
      revision,
      client,
      createdAt: this.#core.now(),
      initialized: false,
      logLevel: undefined,
    };
    const added = this.#store.add(record);
    return added instanceof Promise
      ? added.then((fits) => this.#opened(fits, record, description))
      : this.#opened(added, record, description);
  }

  /** Undefined for ids that are unknown, ended, or somebody else's: they cannot be told apart. */
  find(principal: string, id: string): MaybePromise<HttpSession | undefined> {
    const record = this.#store.find(principal, id);
    return record instanceof Promise
      ? record.then((found) => this.#found(principal, id, found))
      : this.#found(principal, id, record);
  }

  end(session: HttpSession, reason: SessionEndReason): MaybePromise<void> {
    this.#close(session, reason);
    return this.#store.remove(session.principal, session.record.id);
  }

  /** Ends what is open here. Another process may go on with what is in the stores. */
  endAll(): void {
    for (const session of this.#live.values()) this.#close(session, 'closed');
  }

  touch(session: HttpSession): void {
    void this.#guard('sessions', () => {
      const record = this.find(session.principal, session.record.id);
      return record instanceof Promise ? record : undefined;
    });
  }

  save(session: HttpSession, changes: SessionChanges): MaybePromise<void> {
    return this.#guard('sessions', () => this.#store.update(session.record, changes));
  }

  #opened(fits: boolean, record: SessionRecord, description: ServerDescription): HttpSession | undefined {
    if (!fits) {
      this.#core.observe({ type: 'limit_reached', limit: 'sessions' });
      return undefined;
    }
    return this.#keep(record, description);
  }

  #found(
    principal: string,
    id: string,
    record: SessionRecord | undefined,
  ): MaybePromise<HttpSession | undefined> {
    const live = this.#live.get(id);
    // Another process may have agreed on a version that this one leaves out.
    if (record === undefined || !isServed(record.revision, this.#core.oldestRevision)) {
      if (live?.principal === principal) this.#close(live, 'expired');
      return undefined;
    }
    if (live !== undefined) {
      // Another process may have changed it.
      if (live.record !== record) live.record = record;
      return live;
    }
    // Opened by another process, or by this one before it was restarted.
    const description = this.#core.describe(principal);
    return description instanceof Promise
      ? description.then((known) => this.#live.get(id) ?? this.#keep(record, known))
      : this.#keep(record, description);
  }

  #keep(record: SessionRecord, description: ServerDescription): HttpSession {
    const session = new HttpSession(this.#core, this, record, description);
    this.#live.set(record.id, session);
    this.#core.observe({ type: 'session_opened' });
    session.begin();
    return session;
  }

  #close(session: HttpSession, reason: SessionEndReason): void {
    this.#live.delete(session.record.id);
    session.end(reason);
    if (reason !== 'closed') void this.#guard('events', () => this.events?.forget(session.key));
  }

  #guard(port: string, act: () => MaybePromise<unknown>): MaybePromise<void> {
    const failed = (error: unknown): void => this.#core.observe({ type: 'port_failed', port, error });
    try {
      const done = act();
      if (done instanceof Promise) return done.then(() => {}, failed);
    } catch (error) {
      failed(error);
    }
  }
}
