import type { Duplex } from 'node:stream';
import { HUB_ERROR_CODES, HubError, type HubErrorCode } from '../../kernel/index.js';

/** What the other side may ask for, by name. Arguments come from a process of the same hub. */
export type Services = Readonly<Record<string, (...args: readonly never[]) => unknown>>;

export interface ChannelOptions {
  readonly services: Services;
  /** Once, when nothing more can be said. */
  readonly onClose: () => void;
}

/** q: asked, a: the answer, e: a failure, t: told. */
type Line =
  | readonly ['q', number, string, readonly never[]]
  | readonly ['a', number, unknown]
  | readonly ['e', number, string, string]
  | readonly ['t', string, readonly never[]];

interface Waiting {
  readonly until: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: HubError) => void;
}

/** What the other side has not read yet. Where so much waits for so many looks, it is not there any more. */
const MUCH_UNREAD_BYTES = 64 * 1024 * 1024;
const MOST_LOOKS = 10;
/** Much may be said in one moment; what has no room in memory may not. */
const MOST_UNREAD_BYTES = 256 * 1024 * 1024;
/** One that is busy answers later than that of an idle process, but not by so much. */
const ANSWER_MS = 10_000;
const LOOK_MS = 1_000;

/** Questions and answers between two processes of one hub: lines of JSON, those of one turn of the event loop in one write. */
export class LineChannel {
  readonly #stream: Duplex;
  readonly #options: ChannelOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #look: NodeJS.Timeout;
  /** The beginning of a line whose end has not come. */
  #begun: string[] = [];
  #out = '';
  #count = 0;
  /** How many looks in a row found much unread. */
  #unreadLooks = 0;
  #closed = false;

  constructor(stream: Duplex, options: ChannelOptions) {
    this.#stream = stream;
    this.#options = options;
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => this.#receive(text));
    stream.on('error', () => this.close());
    stream.on('end', () => this.close());
    stream.on('close', () => this.close());
    this.#look = setInterval(() => {
      this.#giveUp();
      this.#lookForReader();
    }, LOOK_MS);
    this.#look.unref();
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Rejects with what the other side threw, or with `storage_unavailable` where it is gone or does not answer in time. */
  ask(service: string, args: readonly unknown[], withinMs = ANSWER_MS): Promise<unknown> {
    if (this.#closed) return Promise.reject(gone());
    const id = ++this.#count;
    const until = performance.now() + withinMs;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { until, resolve, reject });
      this.#write(['q', id, service, args]);
    });
  }

  tell(service: string, ...args: readonly unknown[]): void {
    if (!this.#closed) this.#write(['t', service, args]);
  }

  /** What was said until now is still delivered. May be called twice. */
  close(): void {
    if (this.#closed) return;
    this.#flush();
    this.#closed = true;
    clearInterval(this.#look);
    for (const { reject } of this.#waiting.values()) reject(gone());
    this.#waiting.clear();
    this.#stream.end(() => this.#stream.destroy());
    this.#options.onClose();
  }

  #write(line: readonly unknown[]): void {
    if (this.#out === '') process.nextTick(() => this.#flush());
    this.#out += `${JSON.stringify(line)}\n`;
  }

  #flush(): void {
    const text = this.#out;
    this.#out = '';
    if (text === '' || this.#closed || !this.#stream.writable) return;
    this.#stream.write(text);
    if (this.#stream.writableLength > MOST_UNREAD_BYTES) this.#stream.destroy();
  }

  #receive(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.#begun.push(text.slice(from, end));
      const line = this.#begun.join('');
      this.#begun = [];
      from = end + 1;
      if (!this.#closed) this.#take(JSON.parse(line) as Line);
    }
    if (from < text.length) this.#begun.push(text.slice(from));
  }

  /** A look now and then costs less than a timer for each question. */
  #giveUp(): void {
    const now = performance.now();
    for (const [id, { until }] of this.#waiting) if (until < now) this.#settle(id)?.reject(gone());
  }

  #lookForReader(): void {
    if (this.#stream.writableLength > MUCH_UNREAD_BYTES) this.#unreadLooks++;
    else this.#unreadLooks = 0;
    if (this.#unreadLooks >= MOST_LOOKS) this.#stream.destroy();
  }

  #take(line: Line): void {
    switch (line[0]) {
      case 'q':
        void this.#answer(line[1], line[2], line[3]);
        return;
      case 'a':
        this.#settle(line[1])?.resolve(line[2] ?? undefined);
        return;
      case 'e':
        this.#settle(line[1])?.reject(new HubError(toCode(line[2]), line[3]));
        return;
      case 't':
        this.#options.services[line[1]]?.(...line[2]);
    }
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  async #answer(id: number, service: string, args: readonly never[]): Promise<void> {
    try {
      const serve = this.#options.services[service];
      if (serve === undefined) throw new HubError('not_found', `nobody serves "${service}" here`);
      const value = await serve(...args);
      if (!this.#closed) this.#write(['a', id, value]);
    } catch (error) {
      const [code, message] =
        error instanceof HubError ? [error.code, error.message] : ['internal', 'the other process failed'];
      if (!this.#closed) this.#write(['e', id, code, message]);
    }
  }
}

function toCode(code: string): HubErrorCode {
  return HUB_ERROR_CODES.find((known) => known === code) ?? 'internal';
}

function gone(): HubError {
  return new HubError('storage_unavailable', 'the other process of this hub is gone');
}
