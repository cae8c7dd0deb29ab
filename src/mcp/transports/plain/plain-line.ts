import type { Socket } from 'node:net';
import { closed } from '../http-errors.js';
import type { LineController, LineHandler } from '../http-lines.js';
import { TransportError } from '../transport.js';
import type { AnswerHead } from './answer-head.js';
import { AnswerParser, type AnswerParts } from './answer-parser.js';

/** Who keeps lines. */
export interface LineKeeper {
  /** The line can carry another request within this time; undefined: the peer named none. */
  free(line: PlainLine, keepMs: number | undefined): void;
  gone(line: PlainLine): void;
}

/** Takes what a socket has read into the buffer it was given. */
export type OnRead = (length: number, buffer: Uint8Array) => boolean;

/**
 * One connection. It carries one request at a time and sends each of them once: a connection that closes before the
 * answer is complete fails its request, because nobody here can tell what became of it at the other end.
 */
export class PlainLine implements AnswerParts, LineController {
  readonly #keeper: LineKeeper;
  readonly #socket: Socket;
  readonly #parser = new AnswerParser(this);
  #handler: LineHandler | undefined;
  /** What is to be sent once there is a connection. */
  #waiting: string | Buffer | undefined;
  #keepMs: number | undefined;
  #isConnected = false;
  #isStarting = false;
  #isOver = false;
  /** Until when it may be used again; kept by its keeper. */
  expiresAt = 0;

  constructor(keeper: LineKeeper, dial: (onRead: OnRead) => Socket, connectMs: number) {
    this.#keeper = keeper;
    this.#socket = dial((length, buffer) => this.#read(length, buffer));
    const timer = setTimeout(() => this.destroy(tooSlow(connectMs)), connectMs);
    timer.unref();
    this.#socket.once('connect', () => {
      clearTimeout(timer);
      this.#connected();
    });
    this.#socket.once('end', () => this.#ended());
    this.#socket.on('error', (error) => this.destroy(error));
    this.#socket.once('close', () => {
      clearTimeout(timer);
      this.destroy(new Error('the connection closed'));
    });
  }

  /** Sends a request; of text only ASCII. Not called while another is under way. */
  send(text: string | Buffer, handler: LineHandler): void {
    this.#handler = handler;
    if (this.#isConnected) this.#start(text, handler);
    else this.#waiting = text;
  }

  /** The request that is under way is given up, and the connection with it. Its handler hears nothing more. */
  abort(): void {
    this.#handler = undefined;
    // Nothing was written yet: the connection is as good as before.
    if (!this.#isStarting) this.#end();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Ends the connection, and with this error the request that is under way. */
  destroy(error: Error): void {
    const handler = this.#handler;
    this.#handler = undefined;
    this.#end();
    handler?.onResponseError(this, error);
  }

  head(head: AnswerHead): void {
    this.#keepMs = head.framing === 'until_end' ? 0 : head.keepMs;
    this.#handler?.onResponseStart(this, head.status, head.headers);
  }

  body(bytes: Buffer): void {
    this.#handler?.onResponseData(this, bytes);
  }

  #connected(): void {
    this.#isConnected = true;
    const text = this.#waiting;
    const handler = this.#handler;
    this.#waiting = undefined;
    if (text !== undefined && handler !== undefined) this.#start(text, handler);
  }

  #start(text: string | Buffer, handler: LineHandler): void {
    this.#isStarting = true;
    handler.onRequestStart(this);
    this.#isStarting = false;
    if (this.#handler === handler) this.#socket.write(text, 'latin1');
    else this.#keeper.free(this, undefined);
  }

  #read(length: number, buffer: Uint8Array): boolean {
    if (this.#isOver) return false;
    // Nobody asked for anything: whatever this is, no answer of ours may be mixed up with it.
    if (this.#handler === undefined) {
      this.#end();
      return false;
    }
    const bytes = Buffer.from(buffer.buffer, buffer.byteOffset, length);
    try {
      const taken = this.#parser.push(bytes);
      if (this.#parser.isComplete) this.#complete(taken === length);
    } catch (error) {
      // Also what a handler throws: one call must not take the process with it.
      this.destroy(error instanceof Error ? error : new Error('the answer could not be taken'));
    }
    return !this.#isOver;
  }

  /** `isClean`: nothing came after the answer. */
  #complete(isClean: boolean): void {
    const handler = this.#handler;
    this.#handler = undefined;
    if (this.#isOver) return;
    // An answer that came before its request was sent leaves the rest of that on the way.
    if (isClean && this.#keepMs !== 0 && this.#socket.writableLength === 0) {
      this.#parser.reset();
      this.#keeper.free(this, this.#keepMs);
    } else {
      this.#end();
    }
    handler?.onResponseEnd(this);
  }

  #ended(): void {
    if (this.#handler === undefined || this.#isOver) return this.#end();
    if (this.#parser.finish()) this.#complete(false);
    else this.destroy(closed());
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#socket.destroy();
    this.#keeper.gone(this);
  }
}

function tooSlow(connectMs: number): TransportError {
  return new TransportError('TIMEOUT_CONNECT', `no connection within ${connectMs} ms`, {
    mayHaveArrived: false,
  });
}
