import type { MessageChannel } from '../../transports/index.js';
import type { Reply } from '../reply.js';

/** Messages that were not taken yet, from which on what may be dropped is dropped. */
const MAX_UNSENT = 1000;

/** Sends to a channel, and remembers how far the client is behind. */
export class ChannelWriter {
  readonly #channel: MessageChannel;
  #unsent = 0;

  constructor(channel: MessageChannel) {
    this.#channel = channel;
  }

  get slow(): boolean {
    return this.#unsent >= MAX_UNSENT;
  }

  send(text: string): void {
    this.#unsent++;
    const taken = (): void => {
      this.#unsent--;
    };
    // A channel that cannot send any more says so to its close handler.
    this.#channel.send(text).then(taken, taken);
  }
}

/** The reply to one message of a channel. */
export class ChannelReply implements Reply {
  readonly carriesMessages = true;
  readonly #writer: ChannelWriter;

  constructor(writer: ChannelWriter) {
    this.#writer = writer;
  }

  push(text: string, droppable: boolean): boolean {
    if (droppable && this.#writer.slow) return false;
    this.#writer.send(text);
    return true;
  }

  answer(text: string): boolean {
    this.#writer.send(text);
    return true;
  }

  drop(): void {}
}

/** The reply to all messages of a batch: their answers go together. */
export class ChannelBatchReply extends ChannelReply {
  readonly #send: (text: string) => void;
  readonly #texts: string[] = [];
  #expected: number;

  constructor(writer: ChannelWriter, expected: number) {
    super(writer);
    this.#send = (text) => writer.send(text);
    this.#expected = expected;
  }

  override answer(text: string): boolean {
    this.#texts.push(text);
    this.drop();
    return true;
  }

  override drop(): void {
    if (--this.#expected === 0 && this.#texts.length > 0) this.#send(`[${this.#texts.join(',')}]`);
  }
}
