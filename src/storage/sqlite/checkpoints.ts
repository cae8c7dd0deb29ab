import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';

/** The log is copied after about so many bytes. */
const BYTES_PER_COPY = 3 * 1024 * 1024;
/** Pages of the log after which SQLite copies them itself, on the main thread: four times as many as usual. */
export const PAGES_WITHOUT_HELP = 4_000;
/** A thread takes some megabytes; who writes seldom does not keep one. */
const IDLE_MS = 10_000;

/** Runs in the thread, which has a connection of its own to the same file. A checkpoint that is passive makes nobody wait. */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require(workerData.driver);
const db = new DatabaseSync(workerData.path);
db.exec('pragma synchronous = normal');
const checkpoint = db.prepare('pragma wal_checkpoint(passive)');
parentPort.on('message', (order) => {
  if (order === 'end') {
    db.close();
    parentPort.close();
    return;
  }
  try {
    checkpoint.get();
    parentPort.postMessage(undefined);
  } catch (error) {
    parentPort.postMessage({ message: error.message, code: error.code, errcode: error.errcode });
  }
});
`;

/**
 * Copies the write-ahead log into the file, in a thread of its own: it is a thousand writes and two waits for the disk, for
 * which a busy hub would stand still three times a second. Where the thread does not get to it, SQLite does so with a commit.
 */
export class Checkpoints {
  readonly #path: string;
  readonly #onError: (error: Error) => void;
  #thread: Worker | undefined;
  #isCopying = false;
  #bytes = 0;
  #idle: NodeJS.Timeout | undefined;
  /** Settles when those that were told to end have. */
  #ended: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(path: string, onError: (error: Error) => void) {
    this.#path = path;
    this.#onError = onError;
  }

  /** So much more is in the log. */
  wrote(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < BYTES_PER_COPY || this.#isCopying || this.#isClosed) return;
    this.#bytes = 0;
    this.#isCopying = true;
    clearTimeout(this.#idle);
    try {
      this.#thread ??= this.#start();
      this.#thread.postMessage('copy');
    } catch {
      // The system has no thread for us at the moment.
      this.#isCopying = false;
    }
  }

  /** When it is over nobody else has the file open. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#end();
    await this.#ended;
  }

  #start(): Worker {
    const driver = createRequire(import.meta.url).resolve('@photostructure/sqlite');
    const thread = new Worker(PROGRAM, {
      eval: true,
      execArgv: [],
      workerData: { driver, path: this.#path },
      resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 },
    });
    thread.unref();
    thread.on('message', (failure: object | undefined) => {
      if (failure !== undefined) this.#onError(Object.assign(new Error(), failure));
      if (this.#thread !== thread) return;
      this.#isCopying = false;
      this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
      // Of what was written meanwhile.
      this.wrote(0);
    });
    thread.on('error', (error: Error) => this.#onError(error));
    thread.on('exit', () => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      this.#isCopying = false;
    });
    return thread;
  }

  #end(): void {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    if (thread === undefined) return;
    this.#thread = undefined;
    this.#isCopying = false;
    this.#ended = Promise.all([this.#ended, new Promise((resolve) => thread.once('exit', resolve))]);
    thread.ref();
    thread.postMessage('end');
  }
}
