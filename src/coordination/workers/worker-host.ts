import type { Duplex } from 'node:stream';
import { systemClock, type Clock, type ListBounds, type TokenWish } from '../../kernel/index.js';
import { LocalLocks } from '../local-locks.js';
import { LocalStore } from '../local-store.js';
import { LineChannel, type Services } from './line-channel.js';

export interface WorkerHostOptions {
  readonly clock?: Clock;
  /** What workers may ask for besides. */
  readonly services?: Services;
  /** After one has gone; its locks are free by then. */
  readonly onLeft?: (name: string) => void;
}

/** One that is connected, by its name. */
export interface AttachedWorker {
  readonly name: string;
  /** The lowest that was free: it stays small however often workers are replaced. */
  readonly number: number;
  ask(service: string, args: readonly unknown[], withinMs?: number): Promise<unknown>;
}

interface Worker extends AttachedWorker {
  readonly channel: LineChannel;
}

/**
 * Holds what the workers of one machine share, in the memory of the process that runs them. A worker that ends, however
 * it ends, ends its connection, and so lets go of its locks: no lease is needed.
 */
export class WorkerHost {
  readonly #options: WorkerHostOptions;
  readonly #locks = new LocalLocks();
  readonly #store: LocalStore;
  readonly #channels = new Set<LineChannel>();
  readonly #workers = new Map<string, Worker>();
  #closed = false;

  constructor(options: WorkerHostOptions = {}) {
    this.#options = options;
    this.#store = new LocalStore(options.clock ?? systemClock);
  }

  /** Those that have said their name. */
  get workers(): readonly AttachedWorker[] {
    return [...this.#workers.values()];
  }

  attach(stream: Duplex): void {
    const locks = new ConnectionLocks(this.#locks);
    const services: Services = {
      ...this.#options.services,
      ...storeServices(this.#store),
      hello: (name: string) => this.#enter(name, channel),
      acquire: (token: string, name: string, waitMs: number) => locks.acquire(token, name, waitMs),
      release: (token: string) => locks.release(token),
      publish: (topic: string, message: string) => this.#publish(topic, message),
      send: (to: string, topic: string, message: string) => this.#send(to, topic, message),
    };
    const channel: LineChannel = new LineChannel(stream, {
      services,
      onClose: () => {
        this.#channels.delete(channel);
        locks.close();
        this.#leave(channel);
      },
    });
    this.#channels.add(channel);
    if (this.#closed) channel.close();
  }

  /** May be called twice. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const channel of this.#channels) channel.close();
    this.#locks.close();
    this.#store.close();
  }

  #enter(name: string, channel: LineChannel): void {
    const taken = new Set([...this.#workers.values()].map(({ number }) => number));
    let number = 1;
    while (taken.has(number)) number++;
    const ask: AttachedWorker['ask'] = (service, args, withinMs) => channel.ask(service, args, withinMs);
    this.#workers.set(name, { name, number, channel, ask });
  }

  #leave(channel: LineChannel): void {
    for (const [name, worker] of this.#workers) {
      if (worker.channel !== channel) continue;
      this.#workers.delete(name);
      if (!this.#closed) this.#options.onLeft?.(name);
    }
  }

  #publish(topic: string, message: string): number {
    for (const { channel } of this.#workers.values()) channel.tell('message', topic, message);
    return this.#workers.size;
  }

  #send(to: string, topic: string, message: string): boolean {
    const worker = this.#workers.get(to);
    worker?.channel.tell('message', topic, message);
    return worker !== undefined;
  }
}

/** The locks that one connection holds or waits for, each by a token of its own. */
class ConnectionLocks {
  readonly #locks: LocalLocks;
  readonly #waiting = new Map<string, AbortController>();
  readonly #held = new Map<string, () => void>();

  constructor(locks: LocalLocks) {
    this.#locks = locks;
  }

  async acquire(token: string, name: string, waitMs: number): Promise<boolean> {
    const leaving = new AbortController();
    this.#waiting.set(token, leaving);
    try {
      const release = await this.#locks.acquire(name, { waitMs, signal: leaving.signal });
      if (release === undefined) return false;
      // Its turn may have come in the same moment in which nobody wanted it any more.
      if (leaving.signal.aborted) release();
      else this.#held.set(token, release);
      return true;
    } finally {
      this.#waiting.delete(token);
    }
  }

  /** Or leaves the line. */
  release(token: string): void {
    this.#waiting.get(token)?.abort();
    this.#held.get(token)?.();
    this.#held.delete(token);
  }

  close(): void {
    for (const token of [...this.#waiting.keys(), ...this.#held.keys()]) this.release(token);
  }
}

type Most = number | null;

function storeServices(store: LocalStore): Services {
  return {
    get: (key: string, keepMs?: number | null) => store.get(key, keepMs ?? undefined),
    set: (key: string, value: string, ttlMs: number) => store.set(key, value, ttlMs),
    add: (key: string, value: string, ttlMs: number) => store.add(key, value, ttlMs),
    replace: (key: string, before: string, after: string, ttlMs: number) =>
      store.replace(key, before, after, ttlMs),
    delete: (key: string) => store.delete(key),
    push: (key: string, value: string, bounds: ListBounds) => store.push(key, value, bounds),
    list: (key: string) => store.list(key),
    // JSON has no infinity.
    join: (group: string, member: string, { ttlMs, most }: { ttlMs: number; most: Most }) =>
      store.join(group, member, { ttlMs, most: most ?? Infinity }),
    leave: (group: string, member: string) => store.leave(group, member),
    dismiss: async (group: string, leftMs: number) => (await store.dismiss(group, leftMs)) ?? null,
    takeTokens: (bucket: string, wish: TokenWish) => store.takeTokens(bucket, wish),
  };
}
