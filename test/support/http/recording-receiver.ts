import type { Message, RequestId } from '../../../src/mcp/jsonrpc/index.js';
import type { Receiver, TransportError, TransportWarning } from '../../../src/mcp/transports/index.js';

export interface ReceivedMessage {
  readonly message: Message;
  readonly during: RequestId | undefined;
  readonly status: number | undefined;
}

/** Keeps everything a transport hands over. */
export class RecordingReceiver implements Receiver {
  readonly received: ReceivedMessage[] = [];
  readonly warnings: TransportWarning[] = [];
  readonly reasons: TransportError[] = [];
  readonly badAnswers: RequestId[] = [];
  lostSessions = 0;
  ignoresLog?: (during: RequestId | undefined) => boolean;

  message(message: Message, during: RequestId | undefined, status?: number): void {
    this.received.push({ message, during, status });
  }

  badAnswer(id: RequestId): void {
    this.badAnswers.push(id);
  }

  sessionLost(): void {
    this.lostSessions++;
  }

  closed(reason: TransportError): void {
    this.reasons.push(reason);
  }

  warn(warning: TransportWarning): void {
    this.warnings.push(warning);
  }

  get messages(): readonly Message[] {
    return this.received.map(({ message }) => message);
  }

  get warningCodes(): readonly string[] {
    return this.warnings.map(({ code }) => code);
  }
}
