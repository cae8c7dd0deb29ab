import { writeComment, writeEvent, writeMessageEvent } from '../../sse/index.js';
import type { Core, QuietStream } from '../core.js';
import type { AnswerStream, Exchange } from '../exchange.js';
import { STREAM_HEADERS } from './answers.js';

/** Carries messages to a client, over one connection or several in turn. */
export interface MessageStream {
  /** False when the message was dropped. */
  send(text: string, droppable: boolean): boolean;
  end(): void;
}

/** Messages that were said at once. */
export interface MessageRun {
  readonly count: number;
  /** All of them as events, with their ids. */
  readonly wire: string;
  idAt(index: number): string;
  textAt(index: number): string;
}

/** Where the messages of a stream go at the moment. */
export interface StreamConnection extends MessageStream {
  readonly open: boolean;
  /** Whether the client reads more slowly than we write. */
  readonly slow: boolean;
  send(text: string, droppable: boolean, id?: string): boolean;
  sendRun(run: MessageRun): void;
  /** An event without data, so that the client has an id to resume from before anything was said. */
  prime(id: string, retryMs: number): void;
}

const KEEP_ALIVE = writeComment('keep-alive');

/** One open `text/event-stream` answer. */
export class EventStream implements StreamConnection, QuietStream {
  /** Called once when the stream is over without `end`: the client left, or did not read. */
  onLost: (() => void) | undefined;
  /** Called once when the stream is over, for whatever reason. */
  onOver: (() => void) | undefined;
  /** Called with every sign of life. */
  onBeat: (() => void) | undefined;
  readonly #core: Core;
  readonly #stream: AnswerStream;
  #open = true;
  /** Bytes, counted while a slow reader is watched. */
  #written = 0;
  /** Replayed at once, and therefore not held against the reader. */
  #replayed = 0;
  /** What the reader had taken when it was found slow. */
  #takenWhenSlow: number | undefined;

  constructor(core: Core, exchange: Exchange) {
    this.#core = core;
    this.#stream = exchange.stream(200, STREAM_HEADERS);
    core.beats.add(this);
  }

  get open(): boolean {
    return this.#open;
  }

  get slow(): boolean {
    return this.#stream.buffered > this.#core.limits.slowStreamBytes;
  }

  send(text: string, droppable: boolean, id?: string): boolean {
    if (!this.#open) return false;
    if (droppable && this.slow) {
      this.#core.observe({ type: 'notification_dropped', reason: 'slow' });
      return true;
    }
    this.#write(writeMessageEvent(text, id));
    return this.#open;
  }

  sendRun({ wire }: MessageRun): void {
    this.#write(wire);
  }

  /** Sends what was said before the client connected. */
  replay(text: string, id: string | undefined): void {
    const chunk = writeMessageEvent(text, id);
    this.#replayed += Buffer.byteLength(chunk);
    this.#write(chunk);
  }

  prime(id: string, retryMs: number): void {
    this.#write(writeEvent({ data: '', id, retry: retryMs }));
  }

  beat(): void {
    if (!this.#open) return;
    const taken = this.#written - this.#stream.buffered;
    if (this.slow && this.#takenWhenSlow !== undefined && taken <= this.#takenWhenSlow) {
      this.#stall();
      return;
    }
    this.#takenWhenSlow = this.slow ? taken : undefined;
    this.#write(KEEP_ALIVE);
    if (!this.#open) return;
    this.#core.beats.add(this);
    this.onBeat?.();
  }

  end(): void {
    if (this.#close()) this.#stream.end();
  }

  /** The client is gone. */
  gone(): void {
    if (this.#close()) this.onLost?.();
  }

  #write(chunk: string): void {
    if (!this.#open) return;
    if (this.#stream.buffered > this.#core.limits.maxStreamBytes + this.#replayed) {
      this.#stall();
      return;
    }
    if (this.#takenWhenSlow !== undefined) this.#written += Buffer.byteLength(chunk);
    this.#stream.write(chunk);
  }

  #stall(): void {
    this.#core.observe({ type: 'stream_stalled' });
    if (!this.#close()) return;
    this.#stream.abort();
    this.onLost?.();
  }

  #close(): boolean {
    if (!this.#open) return false;
    this.#open = false;
    this.#core.beats.delete(this);
    this.onOver?.();
    return true;
  }
}
