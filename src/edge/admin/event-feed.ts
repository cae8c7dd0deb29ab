import {
  BYTES_PER_PAGE,
  type EventLog,
  type EventQuery,
  type EventRecord,
  type EventStore,
} from '../../governance/index.js';
import type { Logger } from '../../kernel/index.js';
import { toEventView } from './views/event-view.js';

export interface EventFeedOptions {
  readonly events: Pick<EventLog, 'subscribe'>;
  readonly eventStore: Pick<EventStore, 'query' | 'last'>;
  readonly filter: Omit<EventQuery, 'limit' | 'order'>;
  readonly keepAliveMs: number;
  /** How often it is looked for events of other processes, which are not told of here. Default: with each sign of life. */
  readonly lookMs?: number;
  readonly stallMs: number;
  /** Asked before each page and each sign of life; what is left goes to nobody who may not read it any more. */
  readonly mayRead?: () => Promise<boolean>;
  readonly logger: Logger;
  readonly onClose: () => void;
}

/** Records read ahead of a client at most. */
const PAGE = 100;
const RETRY_MS = 3_000;
const encoder = new TextEncoder();

/**
 * One client's view of the log, from a place onwards. Nothing is queued for it: being told of new events only makes it
 * look into the store, one page at a time and only when the client has taken the page before. So a slow client costs
 * one page, and what was kept while it was away comes the same way as what is new.
 */
export class EventFeed {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #options: EventFeedOptions;
  readonly #unsubscribe: () => void;
  readonly #closing: (() => void)[] = [];
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  #position = 0;
  #latest = 0;
  #wake: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: EventFeedOptions) {
    this.#options = options;
    this.#unsubscribe = options.events.subscribe(({ sequence }) => {
      this.#latest = Math.max(this.#latest, sequence);
      this.#wake?.();
    });
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: (controller) => this.#pull(controller),
        cancel: () => this.close(),
      },
      { highWaterMark: 0 },
    );
  }

  async start(after: number | undefined): Promise<void> {
    await this.#lookForLatest();
    this.#position = Math.min(after ?? this.#latest, this.#latest);
    this.#send(`retry: ${RETRY_MS}\n: connected\n\n`);
  }

  onClosed(listener: () => void): void {
    if (this.#closed) listener();
    else this.#closing.push(listener);
  }

  close(): void {
    this.#end((controller) => controller.close());
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    clearTimeout(this.#timer);
    try {
      const text = await this.#next();
      if (this.#closed) return;
      if ((await this.#options.mayRead?.()) === false) return this.close();
      if (this.#closed) return;
      controller.enqueue(encoder.encode(text));
      this.#timer = setTimeout(
        () => this.#end((stalled) => stalled.error(new Error('the client does not read'))),
        this.#options.stallMs,
      );
      this.#timer.unref();
    } catch (error) {
      // The client comes back with the last sequence it has seen.
      this.#options.logger.warn(
        { error: error instanceof Error ? error.message : '' },
        'an event stream ended because the log could not be read',
      );
      this.close();
    }
  }

  /** The next page, or a sign of life. */
  async #next(): Promise<string> {
    const { keepAliveMs, lookMs = keepAliveMs } = this.#options;
    // Whatever happens that the client does not want to hear of.
    const dueAt = performance.now() + keepAliveMs;
    while (!this.#closed) {
      const page = await this.#read();
      if (page.length > 0) return page.map(toMessage).join('');
      const leftMs = dueAt - performance.now();
      if (leftMs <= 0) return ': keep-alive\n\n';
      // Events of other hubs on the same store are not told, only found.
      if (this.#position >= this.#latest && (await this.#silence(Math.min(lookMs, leftMs))))
        await this.#lookForLatest();
    }
    return '';
  }

  async #read(): Promise<readonly EventRecord[]> {
    const { eventStore, filter } = this.#options;
    const latest = this.#latest;
    if (this.#position >= latest) return [];
    const page = await eventStore.query({
      ...filter,
      after: this.#position,
      before: latest + 1,
      limit: PAGE,
      maxBytes: BYTES_PER_PAGE,
      order: 'oldest',
    });
    // What did not match is behind us as well.
    const isWhole = page.length < PAGE && page.isCut !== true;
    this.#position = isWhole ? latest : (page.at(-1)?.sequence ?? latest);
    return page;
  }

  /** Whether nothing was told for so long. */
  #silence(waitMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (silent: boolean) => {
        clearTimeout(this.#timer);
        this.#wake = undefined;
        resolve(silent);
      };
      this.#timer = setTimeout(() => done(true), waitMs);
      this.#timer.unref();
      this.#wake = () => done(false);
      if (this.#closed || this.#position < this.#latest) done(false);
    });
  }

  async #lookForLatest(): Promise<void> {
    this.#latest = Math.max(this.#latest, (await this.#options.eventStore.last())?.sequence ?? 0);
  }

  #send(text: string): void {
    if (!this.#closed) this.#controller?.enqueue(encoder.encode(text));
  }

  #end(finish: (controller: ReadableStreamDefaultController<Uint8Array>) => void): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#unsubscribe();
    this.#options.onClose();
    for (const listener of this.#closing) listener();
    try {
      if (this.#controller !== undefined) finish(this.#controller);
    } catch {
      // The client cancelled it already.
    }
    this.#wake?.();
  }
}

function toMessage(record: EventRecord): string {
  return `id: ${record.sequence}\ndata: ${JSON.stringify(toEventView(record))}\n\n`;
}
