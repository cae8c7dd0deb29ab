import type { Message } from '../../../src/mcp/jsonrpc/index.js';
import type { Receiver, TransportError, TransportWarning } from '../../../src/mcp/transports/index.js';

const WAIT_MS = 15_000;

/** Resolves when the condition holds; the bound is for a test that would otherwise hang. */
export async function until(condition: () => boolean, what: string, ms: number = WAIT_MS): Promise<void> {
  const deadline = performance.now() + ms;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not within ${ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Writes down what a transport reports. */
export class Recorder implements Receiver {
  readonly messages: Message[] = [];
  readonly warnings: TransportWarning[] = [];
  readonly endings: TransportError[] = [];

  message(message: Message): void {
    this.messages.push(message);
  }

  closed(reason: TransportError): void {
    this.endings.push(reason);
  }

  warn(warning: TransportWarning): void {
    this.warnings.push(warning);
  }

  get methods(): readonly string[] {
    return this.messages.map((message) => ('method' in message ? message.method : message.kind));
  }

  async answer(id: number): Promise<unknown> {
    const isAnswer = (message: Message) => message.kind === 'result' && message.id === id;
    await until(() => this.messages.some(isAnswer), `an answer to ${id}`);
    const message = this.messages.find(isAnswer);
    return message?.kind === 'result' ? message.result : undefined;
  }

  async notification(method: string): Promise<Message> {
    await until(() => this.methods.includes(method), `a notification ${method}`);
    return this.messages.find((message) => 'method' in message && message.method === method)!;
  }

  async ending(): Promise<TransportError> {
    await until(() => this.endings.length > 0, 'the end of the peer');
    return this.endings[0]!;
  }
}
