import type { Message, RequestId } from '../jsonrpc/index.js';
import type { SseEvent } from '../sse/index.js';
import type { Deadlined } from './http-deadlines.js';
import { openEndpoint, type OpenEndpoint } from './http-endpoint.js';
import { GetStream, type StreamOwner } from './http-get-stream.js';
import { readMessages, type MessageSink } from './http-messages.js';
import type { HttpTransportOptions } from './http-options.js';
import { LegacyPost } from './legacy-sse-post.js';
import { TransportError, type Outgoing, type Receiver, type Transport } from './transport.js';

const MAX_ENDPOINT_LENGTH = 8 * 1024;

/**
 * HTTP+SSE of 2024-11-05, deprecated since: one event stream for all that the server says, and an address, named by its
 * first event, for all that we say. The stream cannot be resumed; when it ends, the peer is gone.
 */
export class LegacySseTransport implements Transport, StreamOwner, MessageSink, Deadlined {
  /** An answer does not come within the exchange that carried its request, so none of what that implies holds. */
  readonly carriesHeaders = false;
  slot = -1;
  readonly id = undefined;
  readonly #endpoint: OpenEndpoint;
  #receiver: Receiver | undefined;
  #stream: GetStream | undefined;
  #since = 0;
  #started: ((error?: TransportError) => void) | undefined;
  #postPath: string | undefined;
  #revision: string | undefined;
  #gone: TransportError | undefined;
  #closing: Promise<void> | undefined;

  /** Throws `TypeError` or `RangeError` for options that make no sense. */
  constructor(options: HttpTransportOptions) {
    this.#endpoint = openEndpoint(options);
  }

  /** Resolves when the server has named the address for messages. */
  start(receiver: Receiver): Promise<void> {
    const { source } = this.#endpoint;
    const { deadlines } = source.endpoint;
    this.#receiver = receiver;
    this.#since = deadlines.now();
    return new Promise((resolve, reject) => {
      this.#started = (error) => {
        this.#started = undefined;
        deadlines.delete(this);
        if (error === undefined) resolve();
        else reject(error);
      };
      deadlines.add(this);
      this.#stream = new GetStream(source, this, { since: this.#since, standing: true });
      this.#stream.open({ session: undefined, revision: undefined });
    });
  }

  send(message: Outgoing): Promise<void> {
    const path = this.#postPath;
    if (this.#closing !== undefined || this.#gone !== undefined || path === undefined) {
      return Promise.reject(
        new TransportError('CONNECTION_CLOSED', 'there is no connection', { mayHaveArrived: false }),
      );
    }
    if (message.signal?.aborted === true) {
      const details = { mayHaveArrived: false };
      return Promise.reject(
        new TransportError('ABORTED', 'the request was aborted before it was sent', details),
      );
    }
    const { source } = this.#endpoint;
    return new LegacyPost(source, message).run(path, { session: undefined, revision: this.#revision });
  }

  setRevision(revision: string): void {
    this.#revision = revision;
  }

  /** The one stream there is carries everything. */
  openServerStream(): undefined {}

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  event(event: SseEvent): void {
    if (event.event === 'endpoint') this.#take(event.data);
    else if (event.event === 'message' && event.data !== '') readMessages(event.data, this);
  }

  ignoresLog(): boolean {
    return this.#receiver?.ignoresLog?.(undefined) === true;
  }

  message(message: Message): void {
    if (this.#closing === undefined) this.#receiver?.message(message, undefined);
  }

  unreadable(why: 'not_json' | 'not_jsonrpc', id: RequestId | undefined): void {
    if (this.#closing !== undefined) return;
    if (id !== undefined) this.#receiver?.badAnswer?.(id);
    this.#receiver?.warn({ code: why, message: 'an event of the stream is no message' });
  }

  closed(error: TransportError): void {
    if (this.#closing !== undefined || this.#gone !== undefined) return;
    this.#gone = error;
    if (this.#started !== undefined) this.#started(error);
    else this.#receiver?.closed(error);
    // What is being sent now can no longer be answered.
    this.#endpoint.source.endpoint.deadlines.cancelAll('the event stream ended');
  }

  /** While starting: a server that opens a stream but names no address keeps us waiting for nothing. */
  expire(now: number): void {
    const { firstByteMs, connectMs } = this.#endpoint.source.endpoint.timeouts;
    const limit = connectMs + firstByteMs;
    if (now - this.#since < limit) return;
    this.#fail(new TransportError('TIMEOUT_FIRST_BYTE', `no address for messages within ${limit} ms`));
  }

  cancel(message: string): void {
    this.#started?.(new TransportError('ABORTED', message));
  }

  #take(address: string): void {
    if (this.#postPath !== undefined) return;
    const { url } = this.#endpoint;
    const usable = address.length <= MAX_ENDPOINT_LENGTH && URL.canParse(address, url.href);
    const target = usable ? new URL(address, url) : undefined;
    // Credentials go to that address: it must not lead elsewhere.
    if (target?.origin !== url.origin) {
      this.#fail(
        new TransportError('INVALID_SSE_EVENT_DATA', 'the server names an address that is not its own'),
      );
      return;
    }
    this.#postPath = `${target.pathname}${target.search}`;
    this.#started?.();
  }

  #fail(error: TransportError): void {
    this.#stream?.close();
    this.closed(error);
  }

  async #close(): Promise<void> {
    const { endpoint } = this.#endpoint.source;
    this.#stream?.close();
    endpoint.deadlines.cancelAll('the transport was closed');
    await this.#endpoint.close();
  }
}
