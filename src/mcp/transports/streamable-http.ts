import type { RequestId } from '../jsonrpc/index.js';
import { openEndpoint, type OpenEndpoint } from './http-endpoint.js';
import { endSession } from './http-farewell.js';
import type { HttpTransportOptions } from './http-options.js';
import { PostExchange, type PostContext } from './http-post.js';
import { ServerStream } from './http-server-stream.js';
import { HttpSession } from './http-session.js';
import { TransportError, type Outgoing, type Receiver, type Transport } from './transport.js';

/**
 * Streamable HTTP: one POST for each message, answered with JSON or with an event stream.
 *
 * A message is sent exactly once. Redirects are never followed, not even those that keep method and body (307, 308): the
 * address is what an operator allowed, and a server that moved can be given its new one. A stream that breaks is resumed
 * by GET where the legacy revisions allow it.
 */
export class StreamableHttpTransport implements Transport {
  readonly carriesHeaders = true;
  readonly #endpoint: OpenEndpoint;
  readonly #session: HttpSession;
  #context: PostContext | undefined;
  #serverStream: ServerStream | undefined;
  #closing: Promise<void> | undefined;

  /** Throws `TypeError` or `RangeError` for options that make no sense. */
  constructor(options: HttpTransportOptions) {
    this.#endpoint = openEndpoint(options);
    this.#session = new HttpSession(() => this.#endServerStream());
  }

  /** Connects to nothing yet: over HTTP there is no telling whether a peer is there before a message is sent. */
  start(receiver: Receiver): Promise<void> {
    this.#context = { ...this.#endpoint.source, session: this.#session, receiver };
    return Promise.resolve();
  }

  send(message: Outgoing): Promise<void> {
    const context = this.#context;
    if (context === undefined) return refused('CONNECTION_CLOSED', 'the transport was not started');
    if (this.#closing !== undefined) return refused('CONNECTION_CLOSED', 'the transport was closed');
    if (message.signal?.aborted === true)
      return refused('ABORTED', 'the request was aborted before it was sent');
    return new PostExchange(context, message).run();
  }

  abort(id: RequestId): void {
    this.#endpoint.source.endpoint.deadlines.cancel(id, 'the request was aborted');
  }

  setRevision(revision: string): void {
    this.#session.setRevision(revision);
  }

  openServerStream(): Promise<boolean> | undefined {
    if (this.#context === undefined || this.#closing !== undefined) return undefined;
    const { session, revision } = this.#session;
    this.#serverStream ??= new ServerStream(this.#context, { session, revision }, this.#context.receiver);
    return this.#serverStream.ready;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#endServerStream();
    const { source } = this.#endpoint;
    source.endpoint.deadlines.cancelAll('the transport was closed');
    const { session, revision } = this.#session;
    if (session !== undefined) await endSession(source, { session, revision });
    await this.#endpoint.close();
  }

  /** A stream belongs to its session and ends with it. */
  #endServerStream(): void {
    this.#serverStream?.close();
    this.#serverStream = undefined;
  }
}

function refused(code: 'CONNECTION_CLOSED' | 'ABORTED', message: string): Promise<never> {
  return Promise.reject(new TransportError(code, message, { mayHaveArrived: false }));
}
