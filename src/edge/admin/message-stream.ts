import { stringifyJson } from '../../mcp/jsonrpc/index.js';

export interface MessageStreamOptions {
  readonly keepAliveMs: number;
  /** How long a client may leave what was sent unread. */
  readonly stallMs: number;
  /** It has gone, or does not read. Not told after `end`. */
  readonly onGone: () => void;
}

interface Message {
  readonly type: string;
}

const encoder = new TextEncoder();

/**
 * Messages for one client, as server-sent events. Of `progress` only the newest waits for it, so that what is queued for
 * a slow client stays small however much an upstream has to tell.
 */
export class MessageStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #options: MessageStreamOptions;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #queue: Message[] = [];
  #wake: (() => void) | undefined;
  #keepAlive: NodeJS.Timeout | undefined;
  #stalled: NodeJS.Timeout | undefined;
  #ended = false;
  #gone = false;

  constructor(options: MessageStreamOptions) {
    this.#options = options;
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: (controller) => this.#pull(controller),
        cancel: () => this.#leave(),
      },
      { highWaterMark: 0 },
    );
  }

  send(message: Message): void {
    if (this.#ended || this.#gone) return;
    if (message.type === 'progress') this.#queue = this.#queue.filter(({ type }) => type !== 'progress');
    this.#queue.push(message);
    this.#watchReader();
    this.#wake?.();
  }

  /** What was sent is still read; nothing is sent after it. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    clearTimeout(this.#stalled);
    this.#stalled = undefined;
    if (this.#queue.length === 0 && !this.#ended && !this.#gone) await this.#silence();
    const messages = this.#queue;
    this.#queue = [];
    if (this.#gone) return;
    const text = messages.length === 0 ? ': keep-alive\n\n' : messages.map(toText).join('');
    if (messages.length > 0 || !this.#ended) controller.enqueue(encoder.encode(text));
    if (this.#ended) controller.close();
  }

  /** Until there is something to tell, or a sign of life is due. */
  #silence(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        clearTimeout(this.#keepAlive);
        this.#wake = undefined;
        resolve();
      };
      this.#keepAlive = setTimeout(() => this.#wake?.(), this.#options.keepAliveMs);
      this.#keepAlive.unref();
    });
  }

  /** From the first message on that it leaves unread, however many follow. */
  #watchReader(): void {
    if (this.#wake !== undefined) return;
    this.#stalled ??= setTimeout(() => {
      this.#leave();
      this.#controller?.error(new Error('the client does not read'));
    }, this.#options.stallMs).unref();
  }

  #leave(): void {
    if (this.#gone) return;
    this.#gone = true;
    clearTimeout(this.#stalled);
    this.#queue = [];
    this.#wake?.();
    if (!this.#ended) this.#options.onGone();
  }
}

function toText(message: Message): string {
  return `event: ${message.type}\ndata: ${stringifyJson(message)}\n\n`;
}
