import { randomBytes } from 'node:crypto';
import type { RequestId, ResponseMessage } from '../../jsonrpc/index.js';
import type { ServerDescription } from '../../model/index.js';
import { understandsPriming } from '../../wire/index.js';
import type { Core } from '../core.js';
import type { Exchange } from '../exchange.js';
import { EventStream } from '../http/event-stream.js';
import type { MaybePromise } from '../maybe-promise.js';
import type { SessionEndReason } from '../server-event.js';
import { parseEventId } from './event-id.js';
import type { EventStore, SessionKey } from './event-store.js';
import type { SessionChanges } from './legacy-peer.js';
import { LegacySession } from './legacy-session.js';
import type { PeerDesk } from './peer-desk.js';
import { ResumableStream } from './resumable-stream.js';
import type { SessionRecord } from './session-store.js';
import { StandingStream, standingId } from './standing-stream.js';

/** What a session needs of whoever keeps it. */
export interface SessionKeeper {
  readonly events: EventStore | undefined;
  /** The session is in use though no request names it. */
  touch(session: HttpSession): void;
  /** Ready when others may count on it. */
  save(session: HttpSession, changes: SessionChanges): MaybePromise<void>;
  /** Undefined where no other process serves its sessions. */
  readonly peers: PeerDesk | undefined;
}

/** A session over HTTP: its streams come and go. */
export class HttpSession extends LegacySession {
  readonly key: SessionKey;
  readonly standing: StandingStream;
  readonly #keeper: SessionKeeper;
  /** There from the first one on, like the others: most sessions are idle most of the time. */
  #streams: Map<string, ResumableStream> | undefined;
  /** Tells the streams of this process from those another one opened for the same session. */
  readonly #prefix: string;
  #opened: Set<EventStream> | undefined;
  #streamCount = 0;

  constructor(core: Core, keeper: SessionKeeper, record: SessionRecord, description: ServerDescription) {
    super(core, record, description);
    this.#keeper = keeper;
    this.#prefix = core.self + randomBytes(4).toString('hex');
    this.key = { principal: record.principal, session: record.id };
    this.standing = new StandingStream(core, keeper.events, this.key, standingId(this.#prefix));
  }

  /** Connections that the client opened by GET, besides one whose place it takes by coming back with this event id. */
  openedBeside(lastEventId: string | undefined): number {
    const resumed = lastEventId === undefined ? undefined : parseEventId(lastEventId);
    const stream = resumed && this.findStream(resumed.stream);
    return [...(this.#opened ?? [])].filter((connection) => stream?.isOn(connection) !== true).length;
  }

  get resumable(): boolean {
    return this.#keeper.events !== undefined;
  }

  get primes(): boolean {
    return this.resumable && understandsPriming(this.revision);
  }

  findStream(id: string): ResumableStream | undefined {
    return id === this.standing.id ? this.standing : this.#streams?.get(id);
  }

  /** A stream for the answers to one POST, connected to it. */
  answerStream(connection: EventStream, ids: RequestId | readonly RequestId[]): ResumableStream {
    const stream = new ResumableStream(
      this.core,
      this.#keeper.events,
      this.key,
      `${this.#prefix}-${++this.#streamCount}`,
    );
    const streams = (this.#streams ??= new Map<string, ResumableStream>());
    streams.set(stream.id, stream);
    if (this.#keeper.peers?.isAlone === false) stream.promise([ids].flat());
    stream.onEnd = () => streams.delete(stream.id);
    stream.attach(connection, this.primes);
    return stream;
  }

  /** Opens a connection whose life keeps the session in use. */
  connect(exchange: Exchange): EventStream {
    const connection = new EventStream(this.core, exchange);
    connection.onBeat = () => this.#keeper.touch(this);
    return connection;
  }

  /** A connection opened by GET. */
  connectByGet(exchange: Exchange, lost: (connection: EventStream) => void): EventStream {
    const connection = this.connect(exchange);
    const opened = (this.#opened ??= new Set<EventStream>());
    opened.add(connection);
    this.core.listening.add(connection, this.principal, exchange.headers);
    connection.onOver = () => {
      opened.delete(connection);
      this.core.listening.delete(connection);
      lost(connection);
    };
    exchange.onAbort(() => connection.gone());
    return connection;
  }

  /** Whether it is this process that tells the client what it did not ask for. */
  get isHome(): boolean {
    return this.core.self === '' || this.record.home === this.core.self;
  }

  change(given: SessionChanges): MaybePromise<void> {
    const { self } = this.core;
    const settles = given.initialized === true && self !== '' && this.record.home === undefined;
    const changes = settles ? { ...given, home: self } : given;
    this.record = { ...this.record, ...changes };
    return this.#keeper.save(this, changes);
  }

  /** An answer of the client, to a question asked here or by another process. */
  settle(message: ResponseMessage): void {
    if (this.asks.settle(message) || this.#keeper.peers?.passAnswer(this, message) === true) return;
    this.core.observe({ type: 'unknown_response' });
  }

  override cancelCall(id: RequestId, reason?: string): void {
    if (this.calls.has(id)) super.cancelCall(id, reason);
    else this.#keeper.peers?.cancel(this, id, reason);
  }

  override subscribe(uri: string): MaybePromise<void> {
    const { peers } = this.#keeper;
    if (peers === undefined) return super.subscribe(uri);
    return this.isHome ? this.subscribeHere(uri) : peers.subscribe(this, 'subscribe', uri);
  }

  override unsubscribe(uri: string): MaybePromise<void> {
    const { peers } = this.#keeper;
    if (peers === undefined) return super.unsubscribe(uri);
    return this.isHome ? this.unsubscribeHere(uri) : peers.subscribe(this, 'unsubscribe', uri);
  }

  /** Kept with the session, so that another process can go on with it. */
  async subscribeHere(uri: string): Promise<void> {
    await this.changes.subscribe(uri);
    await this.change({ subscriptions: this.changes.uris });
  }

  async unsubscribeHere(uri: string): Promise<void> {
    this.changes.unsubscribe(uri);
    await this.change({ subscriptions: this.changes.uris });
  }

  /** Before another process is asked to stop telling the client: what happens in between must not escape both. */
  async getReady(): Promise<void> {
    if (!this.record.initialized || !this.core.streaming) return;
    this.changes.open();
    await this.changes.restore(this.record.subscriptions ?? []);
  }

  /** Another process tells the client from now on. Answers what it has not been told yet. */
  letGo(): readonly string[] {
    const waiting = this.standing.takeWaiting();
    this.fallSilent();
    return waiting;
  }

  override end(reason: SessionEndReason): void {
    if (this.ended) return;
    super.end(reason);
    this.standing.end();
    for (const stream of this.#streams?.values() ?? []) stream.end();
    for (const connection of this.#opened ?? []) connection.end();
  }

  protected override get hearsChanges(): boolean {
    return this.core.streaming && this.isHome;
  }

  protected override hear(): void {
    super.hear();
    const { subscriptions } = this.record;
    if (subscriptions !== undefined) void this.changes.restore(subscriptions);
  }

  protected override fallSilent(): void {
    this.changes.release();
    this.standing.takeWaiting();
    this.standing.disconnect();
  }

  protected tell(text: string): void {
    this.standing.send(text, false);
  }
}
