import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  InvalidMessage,
  isObject,
  ProtocolError,
  toMessage,
  type Json,
  type Message,
} from '../jsonrpc/index.js';
import {
  classifyInbound,
  HEADER_REVISION,
  isModernDate,
  statusOfModernRejection,
  type Era,
} from '../wire/index.js';
import type { MessageChannel } from '../transports/index.js';
import { ChannelFace } from './channel/channel-face.js';
import { Core } from './core.js';
import type { Exchange } from './exchange.js';
import { sendAccepted, sendError, sendRefusal, withHeader } from './http/answers.js';
import { findToolName, looksLikeCall, refuseBusy } from './http/busy.js';
import type { MayListen } from './http/listening-streams.js';
import { WatchedExchange } from './http/watched-exchange.js';
import { isJsonBody, readAccept } from './http/media-types.js';
import { readJsonBody } from './http/read-body.js';
import { SessionFinder } from './legacy/find-session.js';
import { LegacyBatch } from './legacy/legacy-batch.js';
import { LegacyPost } from './legacy/legacy-post.js';
import { LegacyStreams } from './legacy/legacy-streams.js';
import { MemoryEventStore } from './legacy/memory-event-store.js';
import { MemorySessionStore } from './legacy/memory-session-store.js';
import { SessionDesk } from './legacy/session-desk.js';
import { ListenDesk } from './modern/listen-desk.js';
import { ModernPost } from './modern/modern-post.js';
import type { CallTarget, ServerOptions } from './options.js';

const DEFAULT_GRACE_MS = 10_000;
const CLOSING = 'The server is shutting down';
/** Bodies longer than this are read in one turn of the event loop and served in another. */
const LONG_BODY = 256 * 1024;

/** Serves clients of every revision. It opens no port: see `toNodeListener`, `toFetchHandler` and `serveChannel`. */
export interface McpServer {
  /** Answers one HTTP request of an authenticated client. Never throws; every request gets exactly one answer. */
  handle(exchange: Exchange, principal: string): void;
  /**
   * Asks of every client that keeps a stream open to hear of changes whether it may still do so, and ends the streams of
   * those that may not. For whenever keys or tokens may have lost their worth.
   */
  reviewListeners(mayListen: MayListen): Promise<void>;
  /**
   * Takes no new requests, ends listening clients, waits for calls in flight for at most `graceMs` (10 s) and then ends
   * them and all sessions. May be called twice.
   */
  close(graceMs?: number): Promise<void>;
  /** See `serveChannel`. */
  openChannel(channel: MessageChannel, principal: string): ServedChannel;
}

/** One client of `serveChannel`. */
export interface ServedChannel {
  /** Ends what the client began, and the channel. */
  close(): Promise<void>;
}

/** Serves one client over a channel of its own, such as stdio: a session is as long as the channel. */
export function serveChannel(server: McpServer, channel: MessageChannel, principal: string): ServedChannel {
  return server.openChannel(channel, principal);
}

/** Makes a server of handlers. They are written once, for all revisions. */
export function createMcpServer(options: ServerOptions): McpServer {
  return new HttpFace(options);
}

/** Looks at an HTTP request just long enough to know who serves it. */
class HttpFace implements McpServer {
  readonly #core: Core;
  readonly #sessions: SessionDesk;
  readonly #listens: ListenDesk;
  readonly #modern: ModernPost;
  readonly #legacy: LegacyPost;
  readonly #batches: LegacyBatch;
  /** Undefined where sessions have no streams. */
  readonly #streams: LegacyStreams | undefined;
  readonly #rejectChunked: boolean;
  readonly #servesLegacy: boolean;
  readonly #channels = new Set<ChannelFace>();
  /** Stores that were opened here, and are therefore closed here. */
  readonly #own: { close(): void }[] = [];
  #closing: Promise<void> | undefined;

  constructor(options: ServerOptions) {
    const core = (this.#core = new Core(options));
    const mode = options.legacy ?? 'sessions';
    const events = options.events === false ? undefined : (options.events ?? this.#openEvents());
    const store = options.sessions ?? this.#openSessions();
    this.#sessions = new SessionDesk(core, store, core.streaming ? events : undefined, options.peers);
    const finder = new SessionFinder(core, this.#sessions);
    this.#listens = new ListenDesk(core);
    this.#modern = new ModernPost(core, this.#listens);
    this.#legacy = new LegacyPost(core, mode, this.#sessions, finder);
    this.#batches = new LegacyBatch(core, mode, finder);
    this.#streams =
      mode === 'sessions' && core.streaming ? new LegacyStreams(core, this.#sessions, finder) : undefined;
    this.#servesLegacy = mode !== 'off';
    this.#rejectChunked = options.rejectChunked === true;
  }

  handle(exchange: Exchange, principal: string): void {
    const { load } = this.#core;
    if (load === undefined || load.hasRoom() || !looksLikeCall(exchange)) this.#serve(exchange, principal);
    else
      load.wait(principal, {
        run: (onDone) =>
          this.#serve(onDone === undefined ? exchange : new WatchedExchange(exchange, onDone), principal),
        refuse: () => refuseBusy(exchange),
        bytes: exchange.body.length,
        target: () => this.#targetOf(exchange, principal),
      });
  }

  #targetOf(exchange: Exchange, principal: string): CallTarget | undefined {
    const name = findToolName(exchange);
    return name === undefined ? undefined : this.#core.targetOf?.(name, principal);
  }

  #serve(exchange: Exchange, principal: string): void {
    try {
      if (exchange.method === 'POST') this.#post(exchange, principal);
      else if (this.#core.draining) this.#refuseNew(exchange);
      else if (exchange.method === 'GET' && this.#streams !== undefined)
        this.#streams.get(exchange, principal);
      else if (exchange.method === 'DELETE' && this.#streams !== undefined)
        this.#streams.delete(exchange, principal);
      else this.#refuseMethod(exchange);
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  #fail(exchange: Exchange, error: unknown): void {
    this.#core.observe({ type: 'port_failed', port: 'server', error });
    sendError(exchange, 500, null, new ProtocolError(INTERNAL_ERROR, 'Internal error'));
  }

  openChannel(channel: MessageChannel, principal: string): ServedChannel {
    const face = new ChannelFace(this.#core, this.#listens, this.#servesLegacy, channel, principal);
    this.#channels.add(face);
    face.open(() => this.#channels.delete(face));
    return face;
  }

  reviewListeners(mayListen: MayListen): Promise<void> {
    return this.#core.listening.review(mayListen);
  }

  close(graceMs = DEFAULT_GRACE_MS): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  async #close(graceMs: number): Promise<void> {
    this.#core.draining = true;
    this.#listens.completeAll();
    await this.#core.calls.idle(graceMs);
    this.#core.calls.stopAll(CLOSING);
    this.#sessions.endAll();
    await Promise.allSettled([...this.#channels].map((channel) => channel.close()));
    this.#channels.clear();
    for (const store of this.#own) store.close();
    this.#core.stopTimers();
  }

  #openEvents(): MemoryEventStore {
    const events = new MemoryEventStore({ clock: this.#core.monotonic });
    this.#own.push(events);
    return events;
  }

  #openSessions(): MemorySessionStore {
    const sessions = new MemorySessionStore({ clock: this.#core.monotonic });
    this.#own.push(sessions);
    return sessions;
  }

  #post(exchange: Exchange, principal: string): void {
    const { headers } = exchange;
    if (!isJsonBody(headers['content-type'], headers['content-encoding'])) {
      sendError(
        exchange,
        415,
        null,
        new ProtocolError(INVALID_REQUEST, 'The body must be application/json in UTF-8'),
      );
      return;
    }
    if (this.#rejectChunked && headers['transfer-encoding'] !== undefined) {
      sendError(exchange, 400, null, new ProtocolError(INVALID_REQUEST, 'Chunked bodies are not accepted'));
      return;
    }
    let value: Json;
    try {
      value = readJsonBody(exchange.body);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      sendError(exchange, 400, null, error);
      return;
    }
    if (exchange.body.length <= LONG_BODY) this.#serveValue(exchange, principal, value);
    else
      afterOthers(() => {
        try {
          this.#serveValue(exchange, principal, value);
        } catch (error) {
          this.#fail(exchange, error);
        }
      });
  }

  #serveValue(exchange: Exchange, principal: string, value: Json): void {
    if (!Array.isArray(value)) this.#message(exchange, principal, value);
    else if (this.#core.draining && !value.every(wantsNoAnswer)) this.#refuseNew(exchange);
    else this.#batches.serve(exchange, principal, value, readAccept(exchange.headers['accept']));
  }

  #message(exchange: Exchange, principal: string, value: Json): void {
    let message: Message | undefined;
    let era: Era;
    try {
      message = toMessage(value);
      era = eraOf(message, exchange);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      rejectMessage(exchange, message, error);
      return;
    }
    if (this.#core.draining && message.kind === 'request') {
      this.#refuseNew(exchange);
      return;
    }
    if (message.kind === 'request' && this.#core.load?.refuses(message.method, principal) === true) {
      refuseBusy(exchange);
      return;
    }
    const accepted = readAccept(exchange.headers['accept']);
    if (era === 'legacy') this.#legacy.serve(exchange, principal, message, accepted);
    else if (message.kind === 'request') this.#modern.request(exchange, principal, message, accepted);
    // No notification means anything to a modern server over HTTP.
    else sendAccepted(exchange);
  }

  #refuseNew(exchange: Exchange): void {
    sendRefusal(exchange, 503, INTERNAL_ERROR, CLOSING, withHeader('retry-after', '5'));
  }

  #refuseMethod(exchange: Exchange): void {
    const offered = this.#streams === undefined ? 'POST' : 'POST, GET, DELETE';
    sendRefusal(exchange, 405, INVALID_REQUEST, 'Method not allowed', withHeader('allow', offered));
  }
}

/** The first immediate still comes before what other sockets have brought; the second comes after it. */
function afterOthers(work: () => void): void {
  setImmediate(() => setImmediate(work));
}

/** Whether it is a notification or the answer to a question, as far as can be seen. */
function wantsNoAnswer(value: Json): boolean {
  return isObject(value) && (value['method'] === undefined || value['id'] === undefined);
}

function eraOf(message: Message, exchange: Exchange): Era {
  if (message.kind === 'request' || message.kind === 'notification')
    return classifyInbound(message, exchange.headers);
  if (!isModernDate(exchange.headers[HEADER_REVISION])) return 'legacy';
  throw new ProtocolError(INVALID_REQUEST, 'Responses are not accepted');
}

/** The message is no message, or contradicts itself, so that nobody can serve it. */
function rejectMessage(exchange: Exchange, message: Message | undefined, error: ProtocolError): void {
  if (!(error instanceof InvalidMessage)) {
    const id = message?.kind === 'request' ? message.id : null;
    sendError(exchange, statusOfModernRejection(error.code), id, error);
    return;
  }
  // Bad parameters of a request that could be read otherwise are an answer of the method, not a fault of the transport.
  const inBand =
    error.code === INVALID_PARAMS &&
    error.id !== undefined &&
    !isModernDate(exchange.headers[HEADER_REVISION]);
  sendError(exchange, inBand ? 200 : 400, error.id ?? null, error);
}
