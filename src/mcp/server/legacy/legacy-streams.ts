import { INTERNAL_ERROR, INVALID_REQUEST } from '../../jsonrpc/index.js';
import { HEADER_REVISION, HEADER_SESSION, isModernDate } from '../../wire/index.js';
import type { Core } from '../core.js';
import type { Exchange } from '../exchange.js';
import { EMPTY_HEADERS, sendRefusal, withHeader } from '../http/answers.js';
import { readAccept } from '../http/media-types.js';
import { whenReady } from '../maybe-promise.js';
import { eventId, parseEventId } from './event-id.js';
import type { EventStore, StoredEvent } from './event-store.js';
import type { SessionFinder } from './find-session.js';
import type { HttpSession } from './http-session.js';
import { requireServedRevision } from './legacy-refusals.js';
import type { PeerDesk } from './peer-desk.js';
import type { SessionDesk } from './session-desk.js';
import { isStanding, StandingStream } from './standing-stream.js';

/** How often a store that answers late is asked for what came in between. */
const MAX_READS = 5;

/** GET and DELETE, which only sessions have. */
export class LegacyStreams {
  readonly #core: Core;
  readonly #sessions: SessionDesk;
  readonly #finder: SessionFinder;

  constructor(core: Core, sessions: SessionDesk, finder: SessionFinder) {
    this.#core = core;
    this.#sessions = sessions;
    this.#finder = finder;
  }

  get(exchange: Exchange, principal: string): void {
    if (!this.#isForSession(exchange)) return;
    if (!readAccept(exchange.headers['accept']).events) {
      sendRefusal(exchange, 406, INVALID_REQUEST, 'Not acceptable: the answer is text/event-stream');
      return;
    }
    if (!requireServedRevision(exchange, null)) return;
    this.#finder.find(exchange, principal, null, (session) => {
      const lastEventId = exchange.headers['last-event-id'];
      if (session.openedBeside(lastEventId) >= this.#core.limits.streamsPerSession) {
        this.#core.observe({ type: 'limit_reached', limit: 'streams' });
        sendRefusal(exchange, 429, INTERNAL_ERROR, 'Too many streams', withHeader('retry-after', '5'));
      } else if (lastEventId !== undefined) {
        this.#resume(exchange, session, lastEventId);
      } else if (session.isHome) {
        this.#openStanding(exchange, session);
      } else {
        this.#moveStanding(exchange, session);
      }
    });
  }

  #openStanding(exchange: Exchange, session: HttpSession): void {
    if (this.#hasEnded(exchange, session)) return;
    if (session.standing.connected) {
      sendRefusal(exchange, 409, INVALID_REQUEST, 'The session has an open stream already');
      return;
    }
    const connection = session.connectByGet(exchange, (over) => session.standing.detach(over));
    session.standing.open(connection, session.primes);
  }

  /** Another process told the client of changes until now. */
  #moveStanding(exchange: Exchange, session: HttpSession): void {
    whenReady(
      this.#sessions.peers?.takeHome(session, false),
      (handover) => {
        if (handover === 'busy') {
          sendRefusal(exchange, 409, INVALID_REQUEST, 'The session has an open stream already');
          return;
        }
        for (const text of handover?.waiting ?? unknownChanges(session)) session.standing.send(text, false);
        this.#openStanding(exchange, session);
      },
      (error) => this.#finder.failed(exchange, null, error),
    );
  }

  delete(exchange: Exchange, principal: string): void {
    if (!this.#isForSession(exchange) || !requireServedRevision(exchange, null)) return;
    this.#finder.find(exchange, principal, null, (session) => {
      whenReady(
        this.#sessions.end(session, 'deleted'),
        () => exchange.send(204, EMPTY_HEADERS),
        (error) => this.#finder.failed(exchange, null, error),
      );
    });
  }

  /** Without a session there is nothing here; that is also what the other era says of these methods. */
  #isForSession(exchange: Exchange): boolean {
    const { headers } = exchange;
    if (headers[HEADER_SESSION] !== undefined && !isModernDate(headers[HEADER_REVISION])) return true;
    sendRefusal(exchange, 405, INVALID_REQUEST, 'Method not allowed', withHeader('allow', 'POST'));
    return false;
  }

  #resume(exchange: Exchange, session: HttpSession, lastEventId: string): void {
    const position = parseEventId(lastEventId);
    const { events } = this.#sessions;
    if (position === undefined || events === undefined) {
      this.#unknownEvent(exchange);
      return;
    }
    const replay = { exchange, session, events, ...position, missed: [], reads: 0 };
    const { peers } = this.#sessions;
    const failed = (error: unknown): void => this.#finder.failed(exchange, null, error);
    if (peers === undefined || session.findStream(position.stream) !== undefined) this.#replay(replay);
    else if (isStanding(position.stream) && peers.mayKnow(position.stream))
      this.#resumeStanding(replay, peers).catch(failed);
    else if (peers.isElsewhere(position.stream)) this.#follow(replay, peers).catch(failed);
    else this.#replay(replay);
  }

  /** The standing stream of another process ends there and goes on here, under a name of its own. */
  async #resumeStanding({ exchange, session, events, stream, seq }: Replay, peers: PeerDesk): Promise<void> {
    const handover = await peers.takeHome(session, true);
    const missed = (await events.read(session.key, stream, seq)) ?? [];
    const reached = missed.at(-1)?.seq ?? seq;
    const isWhole =
      handover !== 'busy' && (handover.seq ?? reached) === reached && handover.waiting !== undefined;
    if (this.#hasEnded(exchange, session)) return;
    session.standing.disconnect();
    const connection = session.connectByGet(exchange, (over) => session.standing.detach(over));
    if (isUnbroken(seq, missed))
      for (const event of missed) connection.replay(event.text, eventId(stream, event.seq));
    if (!isWhole || !isUnbroken(seq, missed))
      for (const text of unknownChanges(session)) session.standing.send(text, false);
    session.standing.open(connection, session.primes);
  }

  /** The answer to a request that another process works on. */
  async #follow(replay: Replay, peers: PeerDesk): Promise<void> {
    const { exchange, session, stream, seq } = replay;
    const following = await peers.follow(session, stream, seq);
    if (following === undefined) {
      const lost = await peers.findLost(session.key, stream);
      const missed = lost?.filter((event) => event.seq > seq);
      if (missed === undefined || !isUnbroken(seq, missed)) this.#replay(replay);
      else this.#attach(replay, missed);
      return;
    }
    const { missed, follower, leave } = following;
    if (session.ended || !isUnbroken(seq, missed)) {
      leave();
      if (!this.#hasEnded(exchange, session)) this.#unknownEvent(exchange);
      return;
    }
    const connection = session.connectByGet(exchange, leave);
    for (const event of missed) connection.replay(event.text, eventId(stream, event.seq));
    follower.begin(connection, missed.at(-1)?.seq ?? seq);
  }

  #replay(replay: Replay): void {
    const { exchange, session, events, stream, seq, missed } = replay;
    const last = missed.at(-1)?.seq ?? seq;
    session.findStream(stream)?.say();
    whenReady(
      events.read(session.key, stream, last),
      (read) => {
        const live = session.findStream(stream);
        const all = [...missed, ...(read ?? [])];
        const reached = all.at(-1)?.seq ?? seq;
        if ((read === undefined && live === undefined && missed.length === 0) || !isUnbroken(seq, all)) {
          this.#unknownEvent(exchange);
        } else if (live !== undefined && reached < live.seq && replay.reads < MAX_READS) {
          this.#replay({ ...replay, missed: all, reads: replay.reads + 1 });
        } else if (live !== undefined && reached !== live.seq) {
          this.#unknownEvent(exchange);
        } else {
          this.#attach(replay, all);
        }
      },
      (error) => this.#finder.failed(exchange, null, error),
    );
  }

  /** The newest connection of a stream takes the place of an older one, which the client may know to be dead. */
  #attach({ exchange, session, stream }: Replay, missed: readonly StoredEvent[]): void {
    if (this.#hasEnded(exchange, session)) return;
    const live = session.findStream(stream);
    const connection = session.connectByGet(exchange, (over) => (live ?? session.standing).detach(over));
    for (const { seq, text } of missed) connection.replay(text, eventId(stream, seq));
    if (live instanceof StandingStream) live.resume(connection);
    else if (live !== undefined) live.attach(connection, false);
    else if (isStanding(stream)) session.standing.open(connection, session.primes);
    else connection.end();
  }

  /** While others were asked. A stream that was opened now would be closed by nobody. */
  #hasEnded(exchange: Exchange, session: HttpSession): boolean {
    if (session.ended) this.#finder.ended(exchange);
    return session.ended;
  }

  #unknownEvent(exchange: Exchange): void {
    sendRefusal(exchange, 400, INVALID_REQUEST, 'Last-Event-ID is not known');
  }
}

interface Replay {
  readonly exchange: Exchange;
  readonly session: HttpSession;
  readonly events: EventStore;
  readonly stream: string;
  readonly seq: number;
  readonly missed: readonly StoredEvent[];
  readonly reads: number;
}

/** What a client is told when nobody knows what it missed. */
function unknownChanges(session: HttpSession): readonly string[] {
  return session.changes.unknown(session.record.subscriptions ?? []);
}

/** A stream with a hole must not be taken for a whole one. */
function isUnbroken(seq: number, events: readonly StoredEvent[]): boolean {
  return events.every((event, index) => event.seq === seq + 1 + index);
}
