import { spawn, type ChildProcess } from 'node:child_process';
import type { Answer, Order } from './workers/orders.js';

/** A process that takes orders. */
export interface Worker {
  /** What it told when it was ready. */
  readonly started: unknown;
  order(name: string, value?: unknown): Promise<unknown>;
  /** Ends the process. May be called twice. */
  close(): Promise<void>;
}

export interface WorkerOptions {
  readonly file: string;
  readonly args?: readonly string[];
  /** The core to run on; any where undefined. */
  readonly core: number | undefined;
}

const START_MS = 30_000;
const ORDER_MS = 60_000;
const END_MS = 2000;

export async function startWorker({ file, args = [], core }: WorkerOptions): Promise<Worker> {
  const pin = core === undefined ? [] : ['taskset', '-c', String(core)];
  const [command = '', ...rest] = [...pin, process.execPath, file, ...args];
  const child = spawn(command, rest, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const worker = new ChildWorker(child);
  try {
    worker.started = await worker.answer('start', START_MS);
    return worker;
  } catch (error) {
    await worker.close();
    throw error;
  }
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

class ChildWorker implements Worker {
  started: unknown;
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #waiting = new Map<string, Waiting>();
  #orders = 0;
  #gone = false;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#exited = new Promise((resolve) => {
      const gone = (why: string): void => {
        this.#gone = true;
        for (const { reject, timer } of this.#waiting.values()) {
          clearTimeout(timer);
          reject(new Error(`a worker ended: ${why}`));
        }
        this.#waiting.clear();
        resolve();
      };
      child.once('exit', (code, signal) => gone(`exit ${code ?? signal ?? ''}`));
      child.once('error', (error) => gone(error.message));
    });
    child.on('message', (message) => this.#settle(message as Answer));
  }

  order(name: string, value?: unknown): Promise<unknown> {
    const id = String(++this.#orders);
    const answer = this.answer(id, ORDER_MS);
    if (!this.#gone) this.#child.send({ id, name, value } satisfies Order);
    return answer;
  }

  answer(id: string, timeoutMs: number): Promise<unknown> {
    if (this.#gone) return Promise.reject(new Error('a worker has ended'));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Error(`a worker took longer than ${timeoutMs} ms`));
      }, timeoutMs);
      this.#waiting.set(id, { resolve, reject, timer });
    });
  }

  async close(): Promise<void> {
    if (!this.#gone && this.#child.connected) this.#child.disconnect();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_MS);
    await this.#exited;
    clearTimeout(timer);
  }

  #settle({ id, value, error }: Answer): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    if (error === undefined) waiting.resolve(value);
    else waiting.reject(new Error(error));
  }
}
