import { SseDecoder } from '../../../src/mcp/sse/index.js';

/** Whatever a message turns out to be. Tests say what they expect of it. */
export type Parsed = ReturnType<typeof JSON.parse>;

export interface ReadEvent {
  readonly id: string | undefined;
  readonly data: string;
  /** The message, for events that carry one. */
  readonly message: Parsed;
}

/** A machine with ten times more to do than it can does nothing for seconds. */
const PATIENCE_MS = 20_000;

/** Reads the events of one response, one after another. */
export class EventReader {
  readonly status: number;
  readonly headers: Headers;
  /** Everything received so far, comments included. */
  raw = '';
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #decoder: SseDecoder;
  readonly #events: ReadEvent[] = [];

  constructor(response: Response) {
    this.status = response.status;
    this.headers = response.headers;
    this.#reader = response.body?.getReader();
    this.#decoder = new SseDecoder({
      maxDataBytes: 16 * 1024 * 1024,
      onEvent: ({ id, data }) => {
        this.#events.push({ id, data, message: data === '' ? undefined : JSON.parse(data) });
      },
    });
  }

  /** Undefined when the stream has ended. */
  async next(): Promise<ReadEvent | undefined> {
    while (this.#events.length === 0) if (!(await this.more())) return undefined;
    return this.#events.shift();
  }

  /** The next event that carries a message. */
  async message(): Promise<Parsed> {
    for (;;) {
      const event = await this.next();
      if (event === undefined) return undefined;
      if (event.data !== '') return event.message;
    }
  }

  /** All messages up to the end. */
  async rest(): Promise<Parsed[]> {
    const messages: Parsed[] = [];
    for (;;) {
      const message = await this.message();
      if (message === undefined) return messages;
      messages.push(message);
    }
  }

  /** Reads one more chunk, whatever is in it. False at the end. */
  async more(): Promise<boolean> {
    if (this.#reader === undefined) return false;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('nothing arrived on the stream')), PATIENCE_MS);
    });
    const { done, value } = await Promise.race([this.#reader.read(), late]).finally(() =>
      clearTimeout(timer),
    );
    if (done) return false;
    this.raw += Buffer.from(value).toString();
    this.#decoder.push(value);
    return true;
  }

  async cancel(): Promise<void> {
    await this.#reader?.cancel();
  }
}
