import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

import { withDefaults } from '../jsonrpc/index.js';
import { LineSplitter } from './line-splitter.js';
import { LineWriter } from './line-writer.js';
import type { MessageChannel } from './message-channel.js';
import { TransportError } from './transport.js';

/** For a server that is a process itself. */
export interface StdioChannelOptions {
  /** `process.stdin` unless told otherwise. */
  readonly input?: Readable;
  /** `process.stdout` unless told otherwise. Nothing else may be written to it (stdio transport). */
  readonly output?: Writable;
  readonly limits?: Partial<StdioChannelLimits>;
}

/** How much may be said and wait, in bytes. */
export interface StdioChannelLimits {
  /** Longest line in either direction. */
  readonly lineBytes: number;
  /** Answers that may wait for a client that does not read; more ends the channel. */
  readonly outputQueueBytes: number;
}

const LIMITS: StdioChannelLimits = { lineBytes: 8 * 1024 * 1024, outputQueueBytes: 32 * 1024 * 1024 };
/** How long the last answers may take to leave. */
const CLOSE_MS = 1000;

/** The server's side of stdio: the client is whoever started this process. */
export function createStdioChannel(options: StdioChannelOptions = {}): MessageChannel {
  const { input = process.stdin, output = process.stdout } = options;
  return new StreamChannel(input, output, withDefaults(LIMITS, options.limits));
}

class StreamChannel implements MessageChannel {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #writer: LineWriter;
  readonly #lines: LineSplitter;
  #onMessage: ((text: string) => void) | undefined;
  #onClose: ((reason: TransportError | undefined) => void) | undefined;
  #over: { readonly reason: TransportError | undefined } | undefined;
  #closing: Promise<void> | undefined;

  constructor(input: Readable, output: Writable, limits: StdioChannelLimits) {
    this.#input = input;
    this.#output = output;
    this.#lines = new LineSplitter({
      maxBytes: limits.lineBytes,
      onLine: (line) => this.#onMessage?.(line),
      onTooLong: () =>
        this.#end(
          new TransportError('STDIO_LINE_TOO_LONG', `a line is longer than ${limits.lineBytes} bytes`),
        ),
    });
    this.#writer = new LineWriter({
      output,
      maxLineBytes: limits.lineBytes,
      maxQueueBytes: limits.outputQueueBytes,
      fullCode: 'CONNECTION_CLOSED',
      // An answer that is lost leaves the client waiting; a closed channel tells it.
      onFull: (reason) => this.#end(reason),
    });
    output.on('error', this.#onOutputError);
  }

  send(text: string): Promise<void> {
    return this.#writer.write(text);
  }

  /** Reading begins here: until there is a handler, what the client writes stays in the pipe. */
  onMessage(handler: (text: string) => void): void {
    const reading = this.#onMessage !== undefined;
    this.#onMessage = handler;
    if (reading || this.#over !== undefined) return;
    this.#input.on('data', this.#onData);
    this.#input.once('end', this.#onEnd);
    this.#input.once('error', this.#onInputError);
  }

  onClose(handler: (reason: TransportError | undefined) => void): void {
    this.#onClose = handler;
    const over = this.#over;
    if (over !== undefined) queueMicrotask(() => this.#onClose?.(over.reason));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#onClose = undefined;
    this.#end(undefined);
    this.#writer.end('the channel was closed');
    if (this.#output.writableFinished || this.#output.destroyed) return;
    await once(this.#output, 'finish', { signal: AbortSignal.timeout(CLOSE_MS) }).catch(() => {});
  }

  readonly #onData = (chunk: Buffer): void => this.#lines.push(chunk);
  readonly #onEnd = (): void => {
    this.#lines.end();
    this.#end(undefined);
  };
  readonly #onInputError = (): void => {
    this.#end(new TransportError('CONNECTION_CLOSED', 'the input failed'));
  };
  readonly #onOutputError = (): void => {
    this.#writer.fail('CONNECTION_CLOSED', 'the client closed its end');
    this.#end(new TransportError('CONNECTION_CLOSED', 'the client closed its end'));
  };

  #end(reason: TransportError | undefined): void {
    if (this.#over !== undefined) return;
    this.#over = { reason };
    this.#lines.stop();
    this.#input.off('data', this.#onData);
    this.#input.pause();
    this.#onClose?.(reason);
  }
}
