import { randomBytes } from 'node:crypto';
import type { ServerDescription } from '../../model/index.js';
import { understandsPriming } from '../../wire/index.js';
import type { Core } from '../core.js';
import type { Exchange } from '../exchange.js';
import { EventStream } from '../http/event-stream.js';
import type { SessionEndReason } from '../server-event.js';
import type { EventStore, SessionKey } from './event-store.js';
import type { SessionChanges } from './legacy-peer.js';
import { LegacySession } from './legacy-session.js';
import { ResumableStream } from './resumable-stream.js';
import type { SessionRecord } from './session-store.js';
import { StandingStream, standingId } from './standing-stream.js';

/** What a session needs of whoever keeps it. */
export interface SessionKeeper {
  readonly events: EventStore | undefined;
  /** The session is in use though no request names it. */
  touch(session: HttpSession): void;
  save(session: HttpSession): void;
}

/** A session over HTTP: its streams come and go. */
export class HttpSession extends LegacySession {
  readonly key: SessionKey;
  readonly standing: StandingStream;
  readonly #keeper: SessionKeeper;
  readonly #streams = new Map<string, ResumableStream>();
  /** Tells the streams of this process from those another one opened for the same session. */
  readonly #prefix = randomBytes(4).toString('hex');
  readonly #opened = new Set<EventStream>();
  #streamCount = 0;

  constructor(core: Core, keeper: SessionKeeper, record: SessionRecord, description: ServerDescription) {
    super(core, record, description);
    this.#keeper = keeper;
    this.key = { principal: record.principal, session: record.id };
    this.standing = new StandingStream(core, keeper.events, this.key, standingId(this.#prefix));
  }

  /** Streams that the client opened by GET. */
  get openedStreams(): number {
    return this.#opened.size;
  }

  get resumable(): boolean {
    return this.#keeper.events !== undefined;
  }

  get primes(): boolean {
    return this.resumable && understandsPriming(this.revision);
  }

  findStream(id: string): ResumableStream | undefined {
    return id === this.standing.id ? this.standing : this.#streams.get(id);
  }

  /** A stream for the answer to one POST, connected to it. */
  answerStream(connection: EventStream): ResumableStream {
    const stream = new ResumableStream(
      this.core,
      this.#keeper.events,
      this.key,
      `${this.#prefix}-${++this.#streamCount}`,
    );
    this.#streams.set(stream.id, stream);
    stream.onEnd = () => this.#streams.delete(stream.id);
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
    this.#opened.add(connection);
    connection.onOver = () => {
      this.#opened.delete(connection);
      lost(connection);
    };
    exchange.onAbort(() => connection.gone());
    return connection;
  }

  change(changes: SessionChanges): void {
    this.record = { ...this.record, ...changes };
    this.#keeper.save(this);
  }

  override end(reason: SessionEndReason): void {
    if (this.ended) return;
    super.end(reason);
    this.standing.end();
    for (const stream of this.#streams.values()) stream.end();
    for (const connection of this.#opened) connection.end();
  }

  protected override get hearsChanges(): boolean {
    return this.core.streaming;
  }

  protected tell(text: string): void {
    this.standing.send(text, false);
  }
}
