import type { TransportError } from './transport.js';

/**
 * A server's view of one client over a channel that moves whole messages: its own stdin and stdout, or the other end
 * of an in-memory pair. What is sent and received is JSON text; who serves parses it, because a server has to answer
 * what it cannot parse.
 */
export interface MessageChannel {
  /** Resolves when the message was taken. Rejects with `TransportError` when it cannot be delivered any more. */
  send(text: string): Promise<void>;
  /** One handler. Messages that came earlier are handed to it first. */
  onMessage(handler: (text: string) => void): void;
  /** One handler, called once: without a reason when the client left. Not called after `close()`. */
  onClose(handler: (reason: TransportError | undefined) => void): void;
  /** Sends what was accepted, then ends the channel. May be called twice. */
  close(): Promise<void>;
}
