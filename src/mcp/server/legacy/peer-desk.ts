import { randomUUID } from 'node:crypto';
import {
  INTERNAL_ERROR,
  isObject,
  ProtocolError,
  toMessage,
  type ErrorObject,
  type Json,
  type JsonObject,
  type RequestId,
  type ResponseMessage,
} from '../../jsonrpc/index.js';
import type { Core } from '../core.js';
import type { MaybePromise } from '../maybe-promise.js';
import type { EventStore, SessionKey, StoredEvent } from './event-store.js';
import { eventId } from './event-id.js';
import { FollowedStream, RemoteConnection } from './followed-stream.js';
import type { HttpSession } from './http-session.js';
import { completeLost, FROM_PROMISE } from './lost-answers.js';
import type { ResumableStream } from './resumable-stream.js';
import type { PeerListener, SessionPeers } from './session-peers.js';
import { StandingStream } from './standing-stream.js';

/** What the process that told a client of changes until now gives to its successor. */
export interface Handover {
  /** What the client was not told yet; undefined where nobody knows. */
  readonly waiting: readonly string[] | undefined;
  /** Where its stream stood. */
  readonly seq: number | undefined;
}

/** A stream that goes on in another process. */
export interface Following {
  readonly missed: readonly StoredEvent[];
  readonly follower: FollowedStream;
  /** The client is not connected here any more. */
  readonly leave: () => void;
}

interface Followed {
  readonly follower: FollowedStream;
  /** Whoever runs the stream says when it ends, unless it is killed. */
  look?: NodeJS.Timeout;
}

interface Remote {
  readonly connection: RemoteConnection;
  readonly stream: ResumableStream;
}

/** What processes tell each other. All of it is written here, so its shape is known. */
type Told =
  | { readonly kind: 'cancel'; readonly id: RequestId; readonly reason?: string }
  | { readonly kind: 'event'; readonly follower: string; readonly id: string; readonly text: string }
  | { readonly kind: 'end'; readonly follower: string }
  | { readonly kind: 'unfollow'; readonly follower: string };

type Asked =
  | { readonly kind: 'answer'; readonly message: Json }
  | { readonly kind: 'handover'; readonly force: boolean }
  | { readonly kind: 'subscribe' | 'unsubscribe'; readonly uri: string }
  | { readonly kind: 'follow'; readonly stream: string; readonly after: number; readonly follower: string }
  | { readonly kind: 'followed'; readonly follower: string };

/** How often a process that is told to ask another one does so. */
const MOST_HOPS = 3;
/** How often, and after which pauses, an answer is handed to a process that cannot be reached. */
const MOST_TRIES = 60;
const AGAIN_MS = 1_000;
/** Answers that are kept for that at a time; any more are handed over once. */
const MOST_KEPT = 1_000;
/** How often it is looked whether the process of a followed stream still lives. */
const LOOK_MS = 5_000;

/** What of a session is not in this process. A session is served by all of them; each of its parts is in one. */
export class PeerDesk implements PeerListener {
  readonly #core: Core;
  readonly #peers: SessionPeers;
  readonly #events: EventStore | undefined;
  readonly #findLive: (principal: string, id: string) => HttpSession | undefined;
  /** Clients that are here, of streams that are elsewhere. */
  readonly #followed = new Map<string, Followed>();
  /** Clients that are elsewhere, of streams that are here. */
  readonly #remotes = new Map<string, Remote>();
  #keptAnswers = 0;

  constructor(
    core: Core,
    peers: SessionPeers,
    events: EventStore | undefined,
    findLive: (principal: string, id: string) => HttpSession | undefined,
  ) {
    this.#core = core;
    this.#peers = peers;
    this.#events = events;
    this.#findLive = findLive;
    peers.listen(this);
  }

  /** Whether no other process can go on with what this one leaves behind in memory. */
  get isAlone(): boolean {
    return this.#peers.isAlone === true;
  }

  /** Whether a name, of a stream or of a question, begins with that of another process. */
  isElsewhere(name: string): boolean {
    return !name.startsWith(this.#peers.self);
  }

  /** Whether a stream that is not here may be of the session all the same: of a process that has only just ended it, or of another. */
  mayKnow(stream: string): boolean {
    return !this.isAlone || this.isElsewhere(stream);
  }

  /** False when it cannot be an answer to anybody. */
  passAnswer(session: HttpSession, message: ResponseMessage): boolean {
    const { id } = message;
    if (typeof id !== 'string' || id.length <= this.#peers.self.length || !this.isElsewhere(id)) return false;
    const answer = message.kind === 'result' ? { result: message.result } : { error: message.error };
    const passed = { kind: 'answer', message: { jsonrpc: '2.0', id, ...answer } as JsonObject };
    void this.#passOn(session, this.#ownerOf(id), passed);
    return true;
  }

  /**
   * Its client knows that it came and will not send it again, so it is kept until whoever asked has it. One who seems to be
   * gone may only be cut off from the others.
   */
  async #passOn(session: HttpSession, owner: string, answer: JsonObject): Promise<void> {
    const tries = this.#keptAnswers < MOST_KEPT ? MOST_TRIES : 1;
    this.#keptAnswers++;
    try {
      for (let count = 1; !session.ended; count++) {
        if ((await this.#peers.ask(owner, session.key, answer)) !== undefined) return;
        if (count === tries) return;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS).unref());
      }
    } finally {
      this.#keptAnswers--;
    }
  }

  /** Nobody here knows the request; whoever does ends it. */
  cancel(session: HttpSession, id: RequestId, reason?: string): void {
    const told: Told = { kind: 'cancel', id, ...(reason !== undefined && { reason }) };
    this.#peers.tell(undefined, session.key, told);
  }

  /** From now on it is this process that tells the client of changes. `busy`: another one does, to an open connection. */
  async takeHome(session: HttpSession, force: boolean): Promise<Handover | 'busy'> {
    await session.getReady();
    let home = session.record.home;
    let handover: Handover = { waiting: undefined, seq: undefined };
    for (let hop = 0; home !== undefined && home !== this.#peers.self && hop < MOST_HOPS; hop++) {
      const answer = await this.#peers.ask(home, session.key, { kind: 'handover', force });
      if (answer?.['busy'] === true) {
        session.letGo();
        return 'busy';
      }
      const { moved, waiting, seq } = answer ?? {};
      home = typeof moved === 'string' ? moved : undefined;
      if (Array.isArray(waiting)) handover = { waiting: waiting as string[], seq: seq as number };
    }
    // Where nobody told it of anything yet, nothing was missed.
    if (session.record.home === undefined) handover = { waiting: [], seq: undefined };
    if (!session.ended) await session.change({ home: this.#peers.self });
    return handover;
  }

  /** Subscriptions are where the client is told of them. Rejects with a protocol error when there can be none. */
  async subscribe(session: HttpSession, kind: 'subscribe' | 'unsubscribe', uri: string): Promise<void> {
    const { home } = session.record;
    const answer = home === undefined ? undefined : await this.#peers.ask(home, session.key, { kind, uri });
    if (answer === undefined) {
      // It lives after all, and did not answer in time.
      if ((await this.takeHome(session, false)) === 'busy')
        throw new ProtocolError(INTERNAL_ERROR, 'The session cannot be reached at the moment; try again');
      await (kind === 'subscribe' ? session.subscribeHere(uri) : session.unsubscribeHere(uri));
      return;
    }
    const { error } = answer;
    if (!isObject(error)) return;
    const { code, message, data } = error as unknown as ErrorObject;
    throw new ProtocolError(code, message, data);
  }

  /** Undefined where the stream has ended, or its process has: what was kept of it is all there is. */
  async follow(session: HttpSession, stream: string, seq: number): Promise<Following | undefined> {
    const owner = this.#ownerOf(stream);
    const id = randomUUID();
    const follower = new FollowedStream();
    // Before asking: what happens from then on is told at once.
    const followed: Followed = { follower };
    this.#followed.set(id, followed);
    const leave = (): void => {
      if (this.#forget(id) !== undefined)
        this.#peers.tell(owner, session.key, { kind: 'unfollow', follower: id });
    };
    const answer = await this.#peers.ask(owner, session.key, {
      kind: 'follow',
      stream,
      after: seq,
      follower: id,
    });
    if (answer?.['live'] !== true) {
      this.#forget(id);
      return undefined;
    }
    // It may have ended by now.
    if (this.#followed.has(id)) {
      followed.look = setInterval(() => void this.#look(stream, session.key, id), LOOK_MS);
      followed.look.unref();
    }
    return { missed: answer['missed'] as unknown as StoredEvent[], follower, leave };
  }

  /** A stream whose process was killed, with its end. Undefined where it has one, may have more, or nobody knows. */
  async findLost(key: SessionKey, stream: string): Promise<readonly StoredEvent[] | undefined> {
    const read = async (): Promise<readonly StoredEvent[] | undefined> =>
      completeLost((await this.#events?.read(key, stream, FROM_PROMISE)) ?? []);
    const isOpen = (await read()) !== undefined;
    // The last it said may have been the answer.
    return isOpen && (await this.#peers.isGone(this.#ownerOf(stream))) ? read() : undefined;
  }

  told(_from: string, key: SessionKey, message: JsonObject): void {
    const told = message as unknown as Told;
    if (told.kind === 'event') this.#followed.get(told.follower)?.follower.event(told.id, told.text);
    else if (told.kind === 'end') this.#endFollowed(told.follower);
    else if (told.kind === 'unfollow') this.#dropRemote(told.follower);
    else {
      const session = this.#findLive(key.principal, key.session);
      session?.calls.get(told.id)?.cancel(told.reason);
    }
  }

  asked(from: string, key: SessionKey, message: JsonObject): MaybePromise<JsonObject | undefined> {
    const session = this.#findLive(key.principal, key.session);
    const asked = message as unknown as Asked;
    // Where the session is over nobody waits for an answer any more.
    if (session === undefined) return asked.kind === 'answer' ? {} : undefined;
    switch (asked.kind) {
      case 'answer':
        this.#settle(session, asked.message);
        return {};
      case 'handover':
        return this.#handOver(session, asked.force);
      case 'subscribe':
      case 'unsubscribe':
        return this.#changeSubscription(session, asked.kind, asked.uri);
      case 'follow':
        return this.#letFollow(session, from, asked);
      case 'followed':
        return this.#remotes.has(asked.follower) ? {} : undefined;
    }
  }

  /** Whoever follows a stream may have missed a part of it. They come back, and are given it. */
  missed(): void {
    for (const id of this.#followed.keys()) this.#endFollowed(id);
  }

  #settle(session: HttpSession, value: Json | undefined): void {
    const message = toMessage(value);
    const known = (message.kind === 'result' || message.kind === 'error') && session.asks.settle(message);
    if (!known) this.#core.observe({ type: 'unknown_response' });
  }

  #handOver(session: HttpSession, force: boolean): JsonObject {
    const { home } = session.record;
    if (!session.isHome) return home === undefined ? {} : { moved: home };
    if (session.standing.connected && !force) return { busy: true };
    return { seq: session.standing.seq, waiting: session.letGo() };
  }

  async #changeSubscription(
    session: HttpSession,
    kind: 'subscribe' | 'unsubscribe',
    uri: string,
  ): Promise<JsonObject | undefined> {
    if (!session.isHome) return undefined;
    try {
      await (kind === 'subscribe' ? session.subscribeHere(uri) : session.unsubscribeHere(uri));
      return {};
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      return { error: error.toErrorObject() as unknown as JsonObject };
    }
  }

  async #letFollow(
    session: HttpSession,
    from: string,
    { stream: name, after, follower: id }: Extract<Asked, { kind: 'follow' }>,
  ): Promise<JsonObject> {
    const stream = session.findStream(name);
    if (stream === undefined || stream instanceof StandingStream) return { live: false };
    const upTo = stream.seq;
    const connection = new RemoteConnection((event) => {
      this.#peers.tell(from, session.key, { kind: event ? 'event' : 'end', follower: id, ...event });
      if (event === undefined) this.#remotes.delete(id);
    });
    this.#remotes.set(id, { connection, stream });
    stream.attach(connection, false);
    let live = false;
    try {
      const kept = (await this.#events?.read(session.key, stream.id, after)) ?? [];
      const missed = kept.filter(({ seq }) => seq <= upTo);
      live = (missed.at(-1)?.seq ?? after) === upTo;
      return { live, missed: missed as unknown as Json[] };
    } finally {
      // Whoever asked does not listen then.
      if (!live) this.#dropRemote(id);
    }
  }

  /** A stream that nobody goes on with ends. Where there may be more of it its client comes back for what was kept. */
  async #look(stream: string, key: SessionKey, id: string): Promise<void> {
    const answer = await this.#peers.ask(this.#ownerOf(stream), key, { kind: 'followed', follower: id });
    if (answer !== undefined) return;
    const lost = await this.findLost(key, stream).catch(() => undefined);
    const follower = this.#followed.get(id)?.follower;
    for (const { seq, text } of lost ?? []) follower?.event(eventId(stream, seq), text);
    this.#endFollowed(id);
  }

  #endFollowed(id: string): void {
    this.#forget(id)?.end();
  }

  #forget(id: string): FollowedStream | undefined {
    const followed = this.#followed.get(id);
    clearInterval(followed?.look);
    this.#followed.delete(id);
    return followed?.follower;
  }

  #dropRemote(id: string): void {
    const remote = this.#remotes.get(id);
    if (remote === undefined) return;
    this.#remotes.delete(id);
    remote.connection.gone();
    remote.stream.detach(remote.connection);
  }

  #ownerOf(name: string): string {
    return name.slice(0, this.#peers.self.length);
  }
}
