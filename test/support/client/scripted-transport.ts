import {
  isObject,
  ProtocolError,
  toMessage,
  type Json,
  type JsonObject,
  type Message,
} from '../../../src/mcp/jsonrpc/index.js';
import {
  TransportError,
  type Outgoing,
  type Receiver,
  type Transport,
} from '../../../src/mcp/transports/index.js';

/** A message the client sent, with what went along with it. */
export interface Sent {
  readonly message: Message;
  readonly method: string | undefined;
  readonly id: number | string | undefined;
  readonly params: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
  readonly outgoing: Outgoing;
  aborted: boolean;
}

/** An error answer with an HTTP status. */
export class Refusal {
  readonly status: number;
  readonly error: ProtocolError;
  constructor(status: number, code: number, message = 'refused', data?: Json) {
    this.status = status;
    this.error = new ProtocolError(code, message, data);
  }
}

/** `SILENCE` leaves a request open; an error that is thrown or returned answers it. */
export const SILENCE = Symbol('silence');
export type Answer = JsonObject | Json | ProtocolError | Refusal | TransportError | typeof SILENCE;
export type Script = Readonly<
  Record<string, Answer | ((sent: Sent, transport: ScriptedTransport) => Answer | Promise<Answer>)>
>;

interface Exchange {
  readonly sent: Sent;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Stands in for the wire and the server behind it: answers by script and records everything. */
export class ScriptedTransport implements Transport {
  readonly carriesHeaders: boolean;
  readonly sent: Sent[] = [];
  readonly #script: Script;
  readonly #exchanges = new Map<number | string, Exchange>();
  #receiver: Receiver | undefined;
  revision: string | undefined;
  serverStreams = 0;
  #streamOpened: Promise<boolean> | undefined;
  closes = 0;
  startError: Error | undefined;

  constructor(kind: 'http' | 'stdio', script: Script) {
    this.carriesHeaders = kind === 'http';
    this.#script = script;
  }

  async start(receiver: Receiver): Promise<void> {
    if (this.startError !== undefined) throw this.startError;
    this.#receiver = receiver;
  }

  send(outgoing: Outgoing): Promise<void> {
    const message = toMessage(JSON.parse(outgoing.text) as Json);
    const params = 'params' in message && message.params !== undefined ? message.params : {};
    const sent: Sent = {
      message,
      method: outgoing.method,
      id: outgoing.id,
      params,
      headers: outgoing.headers ?? {},
      outgoing,
      aborted: false,
    };
    this.sent.push(sent);
    if (outgoing.id === undefined) return this.#takeNotification(sent);
    const exchange = this.#open(sent, outgoing.id);
    void this.#play(sent, outgoing.id);
    return this.carriesHeaders ? exchange : Promise.resolve();
  }

  setRevision(revision: string): void {
    this.revision = revision;
  }

  openServerStream(): Promise<boolean> | undefined {
    this.serverStreams++;
    return this.#streamOpened;
  }

  /** From now on the server stream takes its time: until what is returned is called. */
  holdServerStream(): () => void {
    let open!: () => void;
    this.#streamOpened = new Promise((resolve) => {
      open = () => resolve(true);
    });
    return () => open();
  }

  async close(): Promise<void> {
    this.closes++;
  }

  /** Everything sent under a method. */
  of(method: string): readonly Sent[] {
    return this.sent.filter((sent) => sent.method === method);
  }

  get methods(): readonly (string | undefined)[] {
    return this.sent.map((sent) => sent.method);
  }

  /** Answers to requests of the server. */
  get responses(): readonly Message[] {
    return this.sent
      .map((sent) => sent.message)
      .filter((message) => message.kind === 'result' || message.kind === 'error');
  }

  answer(id: number | string, answer: Answer): void {
    if (answer === SILENCE) return;
    if (answer instanceof TransportError) return this.#exchanges.get(id)?.reject(answer);
    const error = answer instanceof Refusal ? answer.error : answer;
    const status = answer instanceof Refusal ? answer.status : undefined;
    const message: Message =
      error instanceof ProtocolError
        ? { kind: 'error', id, error: error.toErrorObject() }
        : { kind: 'result', id, result: error };
    this.#receiver?.message(message, this.carriesHeaders ? id : undefined, status);
    this.#exchanges.get(id)?.resolve();
    this.#exchanges.delete(id);
  }

  /** Ends an exchange without an answer. */
  endExchange(id: number | string): void {
    this.#exchanges.get(id)?.resolve();
  }

  /** A message of the server, on the stream of a request or on the shared channel. */
  emit(message: Message, during?: number | string): void {
    this.#receiver?.message(message, during);
  }

  notify(method: string, params?: JsonObject, during?: number | string): void {
    this.emit({ kind: 'notification', method, params }, during);
  }

  ask(id: number | string, method: string, params?: JsonObject, during?: number | string): void {
    this.emit({ kind: 'request', id, method, params }, during);
  }

  answerBadly(id: number | string): void {
    this.#receiver?.badAnswer?.(id);
  }

  /** Whether log messages on a shared channel need not be read. */
  ignoresLog(): boolean | undefined {
    return this.#receiver?.ignoresLog?.(undefined);
  }

  loseSession(): void {
    this.#receiver?.sessionLost?.();
  }

  crash(reason = new TransportError('STDIO_EXITED', 'the process ended', { exitCode: 1 })): void {
    this.#receiver?.closed(reason);
  }

  #open(sent: Sent, id: number | string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#exchanges.set(id, { sent, resolve, reject });
      sent.outgoing.signal?.addEventListener('abort', () => {
        sent.aborted = true;
        reject(new TransportError('ABORTED', 'aborted'));
      });
    });
  }

  async #play(sent: Sent, id: number | string): Promise<void> {
    await Promise.resolve();
    const scripted = this.#script[sent.method ?? ''];
    if (scripted === undefined) return this.answer(id, new ProtocolError(-32601, 'Method not found'));
    try {
      this.answer(id, typeof scripted === 'function' ? await scripted(sent, this) : scripted);
    } catch (error) {
      if (error instanceof ProtocolError || error instanceof TransportError) this.answer(id, error);
      else throw error;
    }
  }

  async #takeNotification(sent: Sent): Promise<void> {
    const scripted = this.#script[sent.method ?? ''];
    const answer = typeof scripted === 'function' ? await scripted(sent, this) : scripted;
    if (answer instanceof TransportError) throw answer;
  }
}

/** What a server of each era needs in a script to be connected to. */
export function legacyScript(capabilities: JsonObject = {}, more: Script = {}): Script {
  return {
    initialize: (sent) => ({
      protocolVersion: sent.params['protocolVersion'] ?? null,
      capabilities,
      serverInfo: { name: 'scripted', version: '1' },
    }),
    ...more,
  };
}

export function modernScript(capabilities: JsonObject = {}, more: Script = {}): Script {
  return {
    'server/discover': {
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities,
      ttlMs: 60_000,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'scripted', version: '2' } },
    },
    ...more,
  };
}

export function metaOf(sent: Sent): JsonObject {
  const meta = sent.params['_meta'];
  return isObject(meta) ? meta : {};
}
