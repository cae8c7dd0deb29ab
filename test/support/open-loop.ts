import { connect, type Socket } from 'node:net';

/**
 * Calls that come when they come, whether or not those before were answered, as many clients together behave. They have a pool
 * of connections that stay. A client whose connections all wait for an answer sends nothing: that is counted too.
 */

export interface PoolOptions {
  readonly port: number;
  /** One whole request. */
  readonly request: Buffer;
  readonly connections: number;
}

export interface OpenLoopOptions {
  readonly perSecond: number;
  readonly seconds: number;
}

export interface LoopResult {
  readonly offered: number;
  readonly seconds: number;
  /** From when each was due to its answer, in milliseconds. */
  readonly good: readonly number[];
  /** Answered with 429 or 503. */
  readonly refused: readonly number[];
  /** Answered otherwise, or the connection ended. */
  readonly failed: number;
  /** No connection was free when it was due. */
  readonly unsent: number;
  /** Not answered when the time was up and a grace of two seconds after it. */
  readonly open: number;
}

/** A call of a tool without arguments, by a modern client. */
export function callRequest(key: string, tool: string): Buffer {
  const version = '2026-07-28';
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: tool,
      arguments: {},
      _meta: {
        'io.modelcontextprotocol/protocolVersion': version,
        'io.modelcontextprotocol/clientInfo': { name: 'load', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  });
  const head = [
    'POST /mcp HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `MCP-Protocol-Version: ${version}`,
    'Mcp-Method: tools/call',
    `Mcp-Name: ${tool}`,
    `Content-Length: ${body.length}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

const TICK_MS = 1;
const GRACE_MS = 2_000;
const OPEN_LIMIT_MS = 30_000;
const SHARED_BUFFER = 64 * 1024;
const END_OF_HEAD = '\r\n\r\n';
const LENGTH = /content-length: (\d+)/i;
/** An error comes before everything else in an answer. */
const BEGINNING = 200;

/** Connections that are open and ready. Whoever opens one closes it. */
export async function openLoadPool(options: PoolOptions): Promise<LoadPool> {
  const pool = new LoadPool(options);
  await pool.ready();
  return pool;
}

export class LoadPool {
  readonly #lanes: Lane[] = [];
  readonly #free: Lane[] = [];
  #book = new Book();
  #isClosedLoop = false;
  #opened = 0;

  constructor({ port, request, connections }: PoolOptions) {
    const buffer = Buffer.alloc(SHARED_BUFFER);
    for (let n = 0; n < connections; n++)
      this.#lanes.push(
        new Lane(port, request, buffer, {
          opened: (lane) => {
            this.#opened++;
            this.#free.push(lane);
          },
          answered: (lane, status, isError, dueAt) => {
            this.#book.note(status, isError, performance.now() - dueAt);
            this.#again(lane);
          },
          lost: (lane) => {
            this.#book.failed++;
            this.#again(lane);
          },
        }),
      );
  }

  async ready(): Promise<void> {
    await this.#until(() => this.#opened === this.#lanes.length, OPEN_LIMIT_MS);
    if (this.#opened < this.#lanes.length) throw new Error('the connections cannot be opened');
  }

  /** As many calls a second, whatever becomes of them. */
  async offer({ perSecond, seconds }: OpenLoopOptions): Promise<LoopResult> {
    const book = (this.#book = new Book());
    const startedAt = performance.now();
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        const passed = performance.now() - startedAt;
        const due = Math.floor((Math.min(passed, seconds * 1_000) * perSecond) / 1_000);
        while (book.offered < due) this.#ask(startedAt + (book.offered++ * 1_000) / perSecond);
        if (passed < seconds * 1_000) return;
        clearInterval(timer);
        resolve();
      }, TICK_MS);
    });
    await this.#until(() => book.answers + book.unsent >= book.offered, GRACE_MS);
    const { offered, good, refused, failed, unsent } = book;
    return { offered, seconds, good, refused, failed, unsent, open: offered - unsent - book.answers };
  }

  /** Every connection asks again as soon as it has its answer: what a hub can do at most. */
  async saturate(seconds: number): Promise<LoopResult> {
    const book = (this.#book = new Book());
    const startedAt = performance.now();
    this.#isClosedLoop = true;
    for (const lane of this.#free.splice(0)) lane.ask(startedAt);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    this.#isClosedLoop = false;
    const { good, refused, failed } = book;
    const took = (performance.now() - startedAt) / 1_000;
    const result = { offered: book.answers, seconds: took, good: [...good], refused: [...refused], failed };
    await this.#until(() => this.#free.length === this.#lanes.length, GRACE_MS);
    return { ...result, unsent: 0, open: 0 };
  }

  close(): void {
    for (const lane of this.#lanes) lane.close();
  }

  #ask(dueAt: number): void {
    const lane = this.#free.pop();
    if (lane === undefined) this.#book.unsent++;
    else lane.ask(dueAt);
  }

  #again(lane: Lane): void {
    if (this.#isClosedLoop) lane.ask(performance.now());
    else this.#free.push(lane);
  }

  async #until(isSo: () => boolean, limitMs: number): Promise<void> {
    const deadline = performance.now() + limitMs;
    while (!isSo() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

class Book {
  offered = 0;
  failed = 0;
  unsent = 0;
  readonly good: number[] = [];
  readonly refused: number[] = [];

  get answers(): number {
    return this.good.length + this.refused.length + this.failed;
  }

  note(status: number, isError: boolean, tookMs: number): void {
    if (status === 429 || status === 503) this.refused.push(tookMs);
    else if (status === 200 && !isError) this.good.push(tookMs);
    else this.failed++;
  }
}

interface LaneListener {
  opened(lane: Lane): void;
  answered(lane: Lane, status: number, isError: boolean, dueAt: number): void;
  lost(lane: Lane): void;
}

/** One connection with one request at a time. Reads no more of an answer than where it ends. */
class Lane {
  #socket: Socket;
  #isClosed = false;
  readonly #request: Buffer;
  readonly #listener: LaneListener;
  /** What is left of the answer that is being read. */
  #missing = 0;
  #status = 0;
  #isError = false;
  #dueAt: number | undefined;

  constructor(port: number, request: Buffer, buffer: Buffer, listener: LaneListener) {
    this.#request = request;
    this.#listener = listener;
    const callback = (length: number): boolean => {
      this.#read(buffer, length);
      return true;
    };
    const open = (): Socket => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } });
      return socket.on('error', () => {}).on('close', () => this.#lost(open));
    };
    this.#socket = open().once('connect', () => listener.opened(this));
  }

  ask(dueAt: number): void {
    this.#dueAt = dueAt;
    this.#socket.write(this.#request);
  }

  close(): void {
    this.#dueAt = undefined;
    this.#isClosed = true;
    this.#socket.destroy();
  }

  #read(buffer: Buffer, length: number): void {
    if (this.#missing > 0) this.#missing -= length;
    else this.#readHead(buffer, length);
    const dueAt = this.#dueAt;
    if (this.#missing > 0 || dueAt === undefined) return;
    this.#dueAt = undefined;
    this.#listener.answered(this, this.#status, this.#isError, dueAt);
  }

  #readHead(buffer: Buffer, length: number): void {
    const text = buffer.toString('latin1', 0, Math.min(length, 1024));
    const end = text.indexOf(END_OF_HEAD) + END_OF_HEAD.length;
    this.#status = Number(text.slice(9, 12));
    this.#isError = text.slice(end, end + BEGINNING).includes('"error"');
    this.#missing = end + Number(LENGTH.exec(text)?.[1] ?? '0') - length;
  }

  /** One that was silent for long is closed by the hub; the next one takes its place, as with any client. */
  #lost(open: () => Socket): void {
    if (this.#isClosed) return;
    this.#socket = open();
    this.#missing = 0;
    if (this.#dueAt === undefined) return;
    this.#dueAt = undefined;
    this.#listener.lost(this);
  }
}
