import { connect, type Socket } from 'node:net';

/** Calls that come when they come, whether or not those before were answered: as many clients together behave. */

export interface OpenLoopOptions {
  readonly port: number;
  /** One whole request. */
  readonly request: Buffer;
  readonly perSecond: number;
  readonly seconds: number;
  /** More connections are not opened; what finds none is counted as dropped. */
  readonly mostConnections?: number;
}

export interface OpenLoopResult {
  readonly offered: number;
  /** From when each was due to its answer, in milliseconds. */
  readonly good: readonly number[];
  /** Answered with 429 or 503, or with the error of a connector that has too much to do. */
  readonly refused: readonly number[];
  /** Answered otherwise, or the connection ended. */
  readonly failed: number;
  /** Not answered when the time was up and a grace of two seconds after it. */
  readonly open: number;
}

const END_OF_HEAD = Buffer.from('\r\n\r\n');
const ERROR = Buffer.from('"error"');
const OVERLOADED = Buffer.from('"code":-31053');
const TICK_MS = 2;
const GRACE_MS = 2_000;
const DEFAULT_CONNECTIONS = 4_000;

export async function runOpenLoop(options: OpenLoopOptions): Promise<OpenLoopResult> {
  const { perSecond, seconds, mostConnections = DEFAULT_CONNECTIONS } = options;
  const book = new Book();
  const free: Lane[] = [];
  const lanes = new Set<Lane>();
  const openLane = (): Lane => {
    const lane = new Lane(options.port, options.request, book, (ended) =>
      ended.isOpen ? free.push(ended) : lanes.delete(ended),
    );
    lanes.add(lane);
    return lane;
  };
  const startedAt = performance.now();
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const passed = performance.now() - startedAt;
      const due = Math.floor((Math.min(passed, seconds * 1_000) * perSecond) / 1_000);
      while (book.offered < due) {
        const dueAt = startedAt + (book.offered++ * 1_000) / perSecond;
        const lane = free.pop() ?? (lanes.size < mostConnections ? openLane() : undefined);
        if (lane === undefined) book.failed++;
        else lane.ask(dueAt);
      }
      if (passed < seconds * 1_000) return;
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
  const deadline = performance.now() + GRACE_MS;
  while (book.open > 0 && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 10));
  const { open } = book;
  for (const lane of lanes) lane.close();
  return { offered: book.offered, good: book.good, refused: book.refused, failed: book.failed, open };
}

/** As many at once all the time: what a hub can do at most. Calls answered well, by the second. */
export async function findCapacity(
  port: number,
  request: Buffer,
  lanes: number,
  seconds: number,
): Promise<number> {
  const book = new Book();
  let isOver = false;
  const all = Array.from(
    { length: lanes },
    () =>
      new Lane(port, request, book, (lane) => {
        if (!isOver && lane.isOpen) lane.ask(performance.now());
      }),
  );
  const startedAt = performance.now();
  for (const lane of all) lane.ask(startedAt);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  isOver = true;
  const perSecond = (book.good.length / (performance.now() - startedAt)) * 1_000;
  for (const lane of all) lane.close();
  return perSecond;
}

class Book {
  offered = 0;
  open = 0;
  failed = 0;
  readonly good: number[] = [];
  readonly refused: number[] = [];

  note(status: number, answer: Buffer, tookMs: number): void {
    if (status === 429 || status === 503 || answer.includes(OVERLOADED)) this.refused.push(tookMs);
    else if (status === 200 && !answer.includes(ERROR)) this.good.push(tookMs);
    else this.failed++;
  }
}

/** One connection with one request at a time. */
class Lane {
  readonly #socket: Socket;
  readonly #request: Buffer;
  readonly #book: Book;
  readonly #onFree: (lane: Lane) => void;
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Of the whole answer, once its head is there. */
  #wanted = Number.POSITIVE_INFINITY;
  #dueAt: number | undefined;
  isOpen = true;

  constructor(port: number, request: Buffer, book: Book, onFree: (lane: Lane) => void) {
    this.#request = request;
    this.#book = book;
    this.#onFree = onFree;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (bytes: Buffer) => this.#read(bytes));
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => this.#lost());
  }

  ask(dueAt: number): void {
    this.#dueAt = dueAt;
    this.#book.open++;
    this.#socket.write(this.#request);
  }

  close(): void {
    this.#dueAt = undefined;
    this.isOpen = false;
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    this.#pieces.push(bytes);
    this.#bytes += bytes.length;
    if (this.#wanted === Number.POSITIVE_INFINITY) this.#readHead();
    if (this.#bytes >= this.#wanted) this.#answered();
  }

  #readHead(): void {
    const whole = Buffer.concat(this.#pieces);
    const end = whole.indexOf(END_OF_HEAD);
    if (end === -1) return;
    const length = /content-length: (\d+)/i.exec(whole.toString('latin1', 0, end))?.[1] ?? '0';
    this.#wanted = end + END_OF_HEAD.length + Number(length);
    this.#pieces = [whole];
  }

  #answered(): void {
    const [first = Buffer.alloc(0)] = this.#pieces;
    const status = Number(first.toString('latin1', 9, 12));
    this.#pieces = [];
    this.#bytes = 0;
    this.#wanted = Number.POSITIVE_INFINITY;
    const dueAt = this.#dueAt;
    if (dueAt === undefined) return;
    this.#dueAt = undefined;
    this.#book.open--;
    this.#book.note(status, first, performance.now() - dueAt);
    this.#onFree(this);
  }

  #lost(): void {
    this.isOpen = false;
    if (this.#dueAt !== undefined) {
      this.#book.open--;
      this.#book.failed++;
    }
    this.#dueAt = undefined;
    this.#onFree(this);
  }
}
