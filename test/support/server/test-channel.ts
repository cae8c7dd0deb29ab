import type { MessageChannel } from '../../../src/mcp/transports/index.js';
import { until } from '../http/until.js';
import type { Parsed } from './event-reader.js';

/** A channel whose other end is a test. */
export class TestChannel implements MessageChannel {
  readonly sent: Parsed[] = [];
  closed = false;
  #onMessage: ((text: string) => void) | undefined;
  #onClose: ((reason: undefined) => void) | undefined;
  async send(text: string): Promise<void> {
    this.sent.push(JSON.parse(text));
  }
  onMessage(handler: (text: string) => void): void {
    this.#onMessage = handler;
  }
  onClose(handler: (reason: undefined) => void): void {
    this.#onClose = handler;
  }
  async close(): Promise<void> {
    this.closed = true;
  }
  receive(message: unknown): void {
    this.#onMessage?.(typeof message === 'string' ? message : JSON.stringify(message));
  }
  leave(): void {
    this.#onClose?.(undefined);
  }
  /** The answer to a request. */
  async answer(id: unknown): Promise<Parsed> {
    const isAnswer = (each: Parsed): boolean => each.id === id && each.method === undefined;
    await until(() => this.sent.some(isAnswer), `an answer to ${String(id)}`);
    return this.sent.find(isAnswer);
  }
  async said(method: string): Promise<Parsed> {
    await until(() => this.sent.some((each) => each.method === method), method);
    return this.sent.find((each) => each.method === method);
  }
}
