import type { Json, JsonObject, NotificationMessage, RequestMessage } from '../jsonrpc/index.js';
import { writeNotification, writeRequest } from '../jsonrpc/index.js';
import type { Transport, TransportError } from '../transports/index.js';
import type { Era } from '../wire/index.js';
import { abortedError, Call, type CallOwner, type CallPlan } from './call.js';
import { ClientError, toError } from './client-error.js';
import { Conversation, type ConversationHost } from './conversation.js';
import { InputDesk } from './input-desk.js';
import type { ClientWarning } from './options.js';
import type { Peer } from './peer.js';
import { ServerRequests } from './server-requests.js';
import type { Settings } from './settings.js';
import { withLimit } from './with-limit.js';

/** Who uses connections. */
export interface ConnectionHost {
  answered(connection: Connection, call: Call, result: Json): void;
  failed(connection: Connection, call: Call, error: Error): void;
  notified(connection: Connection, notification: NotificationMessage, during: Call | undefined): void;
  sessionLost(connection: Connection): void;
  lost(connection: Connection, reason: TransportError): void;
  warned(warning: ClientWarning): void;
}

export interface DirectOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The answer as it came, whatever it is. */
const DIRECT: CallPlan = { shape: (result) => result, repeatable: false };

/** How long a server that still asks something has for taking the refusal. */
const REFUSING_MS = 1_000;

/** One transport with the conversation on it and what is known of the peer. */
export class Connection implements ConversationHost, CallOwner {
  readonly transport: Transport;
  readonly conversation: Conversation;
  readonly #settings: Settings;
  readonly #host: ConnectionHost;
  readonly #serverRequests: ServerRequests;
  #peer: Peer | undefined;
  /** The session was renewed on a mere suspicion and nothing has worked since. */
  doubted = false;
  /** A request was answered in the era that was found. */
  proven = false;
  /** Counts the handshakes, so that a refusal can be told to belong to a session that was replaced already. */
  generation = 0;

  constructor(transport: Transport, settings: Settings, host: ConnectionHost) {
    const { clock } = settings;
    this.transport = transport;
    this.#settings = settings;
    this.#host = host;
    this.conversation = new Conversation(transport, this, clock, settings.timeouts.requestMs);
    this.#serverRequests = new ServerRequests({
      conversation: this.conversation,
      desk: new InputDesk(settings),
      capabilities: settings.capabilities,
      now: () => clock.now(),
      warn: (warning) => {
        host.warned(warning);
      },
    });
  }

  /** Known once the handshake or the discovery is done. */
  get peer(): Peer {
    if (this.#peer === undefined) throw new ClientError('closed', 'the connection is not established');
    return this.#peer;
  }

  /** Undefined until it is known; messages may come before. */
  get era(): Era | undefined {
    return this.#peer?.era;
  }

  get alive(): boolean {
    return this.conversation.closedBy === undefined;
  }

  async start(signal: AbortSignal | undefined): Promise<void> {
    const { clock, timeouts } = this.#settings;
    try {
      await withLimit(clock, timeouts.requestMs, 'connecting', signal, () =>
        this.transport.start(this.conversation),
      );
    } catch (error) {
      await this.close(toError(error));
      throw error;
    }
  }

  settle(peer: Peer): void {
    this.#peer = peer;
    this.generation++;
    this.transport.setRevision(peer.revision);
    const closesStreams = peer.era === 'modern' && this.transport.carriesHeaders;
    this.conversation.cancelBy = closesStreams ? 'exchange' : 'message';
  }

  ignoresLog(call: Call | undefined): boolean {
    const { onLog, onNotification } = this.#settings.hooks;
    const isHeard = onLog !== undefined || onNotification !== undefined;
    return !isHeard && call?.options.onLog === undefined && call?.listener === undefined;
  }

  /** A request whose answer is not interpreted. The call is returned for the HTTP status of an error. */
  ask(
    method: string,
    params: JsonObject,
    options: DirectOptions,
  ): { readonly call: Call; readonly answer: Promise<Json> } {
    let call: Call | undefined;
    const answer = new Promise<unknown>((resolve, reject) => {
      call = new Call(
        method,
        params,
        DIRECT,
        options.signal && { signal: options.signal },
        this,
        resolve,
        reject,
      );
    });
    if (call === undefined) throw new TypeError('a promise runs its executor at once');
    const now = this.#settings.clock.now();
    call.idleMs = options.timeoutMs;
    call.idleDeadline = call.totalDeadline = now + options.timeoutMs;
    if (options.signal?.aborted === true) call.reject(abortedError(call));
    else this.#send(call, params, options.headers);
    return { call, answer: answer as Promise<Json> };
  }

  /** What has no JSON form fails the request, so that whoever made it closes what was opened for it. */
  #send(call: Call, params: JsonObject, headers: DirectOptions['headers']): void {
    const id = this.conversation.takeId();
    try {
      this.conversation.send(call, id, writeRequest(id, call.method, params), headers);
    } catch (error) {
      call.reject(toError(error));
    }
  }

  async notify(method: string, params?: JsonObject, signal?: AbortSignal): Promise<void> {
    await this.conversation.sendPlain(writeNotification(method, params), method, signal);
  }

  async close(error: Error): Promise<void> {
    const refusing = this.#serverRequests.finish();
    // Whoever asked would wait in vain, but does not hold up the end.
    if (refusing !== undefined && this.alive)
      await withLimit(this.#settings.clock, REFUSING_MS, 'refusing', undefined, () => refusing).catch(
        () => {},
      );
    this.#serverRequests.drop();
    await this.conversation.close(error);
  }

  aborted(call: Call): void {
    this.conversation.cancel(call, abortedError(call));
  }

  answered(call: Call, result: Json): void {
    if (call.plan === DIRECT) call.resolve(result);
    else this.#host.answered(this, call, result);
  }

  failed(call: Call, error: Error): void {
    if (call.plan === DIRECT) call.reject(error);
    else this.#host.failed(this, call, error);
  }

  asked(request: RequestMessage, during: Call | undefined): void {
    // Modern servers have no requests; answering one would break the rule that clients send no responses.
    if (this.era === 'modern') {
      this.warned({ code: 'refused_request', message: 'a request of a modern server was dropped' });
    } else {
      this.#serverRequests.receive(request, during);
    }
  }

  notified(notification: NotificationMessage, during: Call | undefined): void {
    const requestId = notification.params?.['requestId'];
    if (notification.method === 'notifications/cancelled' && this.era !== 'modern') {
      if (typeof requestId === 'string' || typeof requestId === 'number')
        this.#serverRequests.cancelled(requestId);
      return;
    }
    this.#host.notified(this, notification, during);
  }

  sessionLost(): void {
    this.#host.sessionLost(this);
  }

  lost(reason: TransportError): void {
    this.#serverRequests.drop();
    this.#host.lost(this, reason);
  }

  warned(warning: ClientWarning): void {
    this.#host.warned(warning);
  }
}
