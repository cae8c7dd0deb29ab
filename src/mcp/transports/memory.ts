import { LineMessages } from './line-messages.js';
import type { MessageChannel } from './message-channel.js';
import { TransportError, type Outgoing, type Receiver, type Transport } from './transport.js';

/** Two ends: what one sends, the other receives. */
export interface MemoryPair {
  readonly client: Transport;
  readonly server: MessageChannel;
}

/**
 * A client and a server in one process. Messages travel as text, so neither side can reach into the other's objects,
 * in order, and never within the call that sends them.
 */
export function createMemoryPair(): MemoryPair {
  const toServer = new Lane();
  const toClient = new Lane();
  return { client: new MemoryTransport(toServer, toClient), server: new MemoryChannel(toClient, toServer) };
}

interface LaneReader {
  text(text: string): void;
  ended(): void;
}

/** One direction. Keeps what was sent until there is a reader. */
class Lane {
  #texts: string[] = [];
  #reader: LaneReader | undefined;
  #ended = false;
  #scheduled = false;

  read(reader: LaneReader): void {
    this.#reader = reader;
    this.#schedule();
  }

  write(text: string): Promise<void> {
    if (this.#ended) return Promise.reject(closed(false));
    this.#texts.push(text);
    this.#schedule();
    return SENT;
  }

  /** What was written still arrives. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#schedule();
  }

  /** The reader left. */
  cancel(): void {
    this.#reader = undefined;
    this.#texts = [];
    this.#ended = true;
  }

  #schedule(): void {
    if (this.#scheduled || this.#reader === undefined) return;
    this.#scheduled = true;
    queueMicrotask(this.#deliver);
  }

  readonly #deliver = (): void => {
    this.#scheduled = false;
    const texts = this.#texts;
    this.#texts = [];
    // A handler may close the pair, after which there is no reader.
    for (const text of texts) this.#reader?.text(text);
    if (!this.#ended || this.#texts.length > 0) return;
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.ended();
  };
}

const SENT = Promise.resolve();

class MemoryTransport implements Transport {
  readonly carriesHeaders = false;
  readonly #outgoing: Lane;
  readonly #incoming: Lane;
  #state: 'new' | 'open' | 'closed' = 'new';

  constructor(outgoing: Lane, incoming: Lane) {
    this.#outgoing = outgoing;
    this.#incoming = incoming;
  }

  async start(receiver: Receiver): Promise<void> {
    if (this.#state !== 'new') throw closed(false);
    this.#state = 'open';
    const messages = new LineMessages({
      maxBadLines: Number.POSITIVE_INFINITY,
      onMessage: (message) => receiver.message(message, undefined),
      onBadAnswer: (id) => receiver.badAnswer?.(id),
      onWarning: (warning) => receiver.warn(warning),
      onTooManyBadLines: () => {},
    });
    this.#incoming.read({
      text: (text) => messages.read(text),
      ended: () => {
        this.#state = 'closed';
        this.#outgoing.cancel();
        receiver.closed(closed(true));
      },
    });
  }

  send(message: Outgoing): Promise<void> {
    if (this.#state !== 'open') return Promise.reject(closed(false));
    if (message.signal?.aborted === true) {
      return Promise.reject(
        new TransportError('ABORTED', 'the message was withdrawn', { mayHaveArrived: false }),
      );
    }
    return this.#outgoing.write(message.text);
  }

  setRevision(): void {}

  openServerStream(): undefined {}

  async close(): Promise<void> {
    this.#state = 'closed';
    this.#incoming.cancel();
    this.#outgoing.end();
  }
}

class MemoryChannel implements MessageChannel {
  readonly #outgoing: Lane;
  readonly #incoming: Lane;
  #onMessage: ((text: string) => void) | undefined;
  #onClose: ((reason: TransportError | undefined) => void) | undefined;

  constructor(outgoing: Lane, incoming: Lane) {
    this.#outgoing = outgoing;
    this.#incoming = incoming;
  }

  send(text: string): Promise<void> {
    return this.#outgoing.write(text);
  }

  onMessage(handler: (text: string) => void): void {
    this.#onMessage = handler;
    this.#incoming.read({
      text: (text) => this.#onMessage?.(text),
      ended: () => {
        this.#outgoing.cancel();
        this.#onClose?.(undefined);
      },
    });
  }

  onClose(handler: (reason: TransportError | undefined) => void): void {
    this.#onClose = handler;
  }

  async close(): Promise<void> {
    this.#onClose = undefined;
    this.#incoming.cancel();
    this.#outgoing.end();
  }
}

function closed(mayHaveArrived: boolean): TransportError {
  return new TransportError('CONNECTION_CLOSED', 'the other end was closed', { mayHaveArrived });
}
