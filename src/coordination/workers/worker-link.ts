import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import {
  type Coordination,
  type Feed,
  type Lock,
  type LockOptions,
  type SharedStore,
  type TokenGrant,
} from '../../kernel/index.js';
import { LocalFeed } from '../local-feed.js';
import { closing, givenUp } from '../local-locks.js';
import { createSelfName } from '../self-name.js';
import { LineChannel, type Services } from './line-channel.js';

/** How a worker reaches the process that runs it. */
export interface WorkerLink {
  readonly coordination: Coordination;
  /** Something that the host serves besides coordination. */
  ask(service: string, args: readonly unknown[], withinMs?: number): Promise<unknown>;
  /** What the host may ask of this worker. */
  serve(service: string, answer: () => unknown): void;
}

/** Beyond what a lock is waited for. */
const GRACE_MS = 10_000;

export async function openWorkerLink(stream: Duplex): Promise<WorkerLink> {
  const local = new LocalFeed();
  const self = createSelfName();
  const services: Record<string, Services[string]> = {
    message: (topic: string, message: string) => local.deliver(topic, message),
  };
  const locks = new LinkLocks((service, args, withinMs) => channel.ask(service, args, withinMs));
  const channel: LineChannel = new LineChannel(stream, {
    services,
    onClose: () => {
      local.close();
      locks.close();
    },
  });
  await channel.ask('hello', [self]);
  const feed: Feed = {
    publish: (topic, message) => channel.tell('publish', topic, message),
    reach: (topic, message) =>
      channel.ask('publish', [topic, message]).then(
        (count) => Number(count),
        () => 0,
      ),
    async send(to, topic, message) {
      return (await channel.ask('send', [to, topic, message])) === true;
    },
    subscribe: (topic, listener) => local.subscribe(topic, listener),
  };
  return {
    ask: (service, args, withinMs) => channel.ask(service, args, withinMs),
    serve(service, answer) {
      services[service] = answer;
    },
    coordination: {
      kind: 'workers',
      self,
      locks,
      feed,
      store: linkStore((service, ...args) => channel.ask(service, args)),
      get available() {
        return !channel.closed;
      },
      async check() {
        if (channel.closed) throw closing();
        await channel.ask('get', ['']);
      },
      async close() {
        channel.close();
      },
    },
  };
}

type Ask = WorkerLink['ask'];

/** The host knows who holds what; here is known what to say when the connection ends. */
class LinkLocks {
  readonly #ask: Ask;
  readonly #held = new Set<AbortController>();
  readonly #closing = new AbortController();

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async acquire(name: string, { waitMs, signal }: LockOptions): Promise<Lock | undefined> {
    if (this.#closing.signal.aborted) throw closing();
    if (signal?.aborted === true) throw givenUp();
    const token = randomUUID();
    let left = false;
    const leave = (): void => {
      left = true;
      void this.#release(token);
    };
    signal?.addEventListener('abort', leave, { once: true });
    try {
      const granted = await this.#ask('acquire', [token, name, waitMs], waitMs + GRACE_MS);
      if (left) throw givenUp();
      return granted === true ? this.#hold(token) : undefined;
    } catch (error) {
      if (this.#closing.signal.aborted) throw closing();
      // It may have been granted without our knowing.
      await this.#release(token);
      throw left ? givenUp() : error;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  /** Whoever holds one is told. The host finds the connection ended. */
  close(): void {
    this.#closing.abort();
    for (const lost of this.#held) lost.abort();
    this.#held.clear();
  }

  #hold(token: string): Lock {
    const lost = new AbortController();
    this.#held.add(lost);
    return {
      lost: lost.signal,
      release: async () => {
        if (this.#held.delete(lost)) await this.#release(token);
      },
    };
  }

  async #release(token: string): Promise<void> {
    // Without a connection nothing is held.
    await this.#ask('release', [token]).catch(() => {});
  }
}

function linkStore(ask: (service: string, ...args: readonly unknown[]) => Promise<unknown>): SharedStore {
  const done = async (service: string, ...args: readonly unknown[]): Promise<void> => {
    await ask(service, ...args);
  };
  const whether = async (service: string, ...args: readonly unknown[]): Promise<boolean> =>
    (await ask(service, ...args)) === true;
  return {
    get: async (key, keepMs) => (await ask('get', key, keepMs)) as string | undefined,
    set: (key, value, ttlMs) => done('set', key, value, ttlMs),
    add: (key, value, ttlMs) => whether('add', key, value, ttlMs),
    replace: (key, before, after, ttlMs) => whether('replace', key, before, after, ttlMs),
    delete: (key) => done('delete', key),
    push: (key, value, bounds) => done('push', key, value, bounds),
    list: async (key) => (await ask('list', key)) as readonly string[],
    join: (group, member, bounds) => whether('join', group, member, bounds),
    leave: (group, member) => done('leave', group, member),
    dismiss: async (group, leftMs) => ((await ask('dismiss', group, leftMs)) as string | null) ?? undefined,
    takeTokens: async (bucket, wish) => (await ask('takeTokens', bucket, wish)) as TokenGrant,
  };
}
