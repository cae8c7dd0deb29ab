import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Clock, Lock, LockOptions, Locks } from '../../kernel/index.js';
import { closing, givenUp, LocalLocks } from '../local-locks.js';
import { HeldLock } from './held-lock.js';
import { unavailable } from './redis-connection.js';

/** Between looks at a lock that somebody else holds. A notice usually comes first. */
const POLL_MS = 200;

/** Also says yes if it is ours already: the answer to an earlier attempt may have been lost. */
const ACQUIRE = `
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('pexpire', KEYS[1], ARGV[2]) return 1 end
return 0`;

const RENEW = `
if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end
return 0`;

const RELEASE = `
if redis.call('get', KEYS[1]) == ARGV[1] then
  redis.call('del', KEYS[1])
  redis.call('publish', ARGV[2], ARGV[3])
end
return 0`;

export interface RedisLocksOptions {
  readonly redis: Redis;
  readonly prefix: string;
  /** Where releases are announced. */
  readonly channel: string;
  readonly clock: Clock;
}

/** One waiter of each process asks Redis for a name; the others wait in the process. */
export class RedisLocks implements Locks {
  readonly #options: RedisLocksOptions;
  readonly #local = new LocalLocks();
  readonly #held = new Set<HeldLock>();
  /** Those who wait for a notice, by name: one of each, by the local locks. */
  readonly #waiting = new Map<string, () => void>();
  readonly #closing = new AbortController();

  constructor(options: RedisLocksOptions) {
    this.#options = options;
    // A server that was started anew has forgotten every lock.
    options.redis.on('ready', () => {
      for (const lock of this.#held) lock.renewNow();
    });
  }

  async acquire(name: string, options: LockOptions): Promise<Lock | undefined> {
    const until = this.#options.clock.monotonic() + options.waitMs;
    const releaseLocal = await this.#local.acquire(name, options);
    if (releaseLocal === undefined) return undefined;
    let lock: HeldLock | undefined;
    try {
      lock = await this.#acquireShared(name, options, until);
    } finally {
      if (lock === undefined) releaseLocal();
    }
    if (lock === undefined) return undefined;
    const held = lock;
    this.#held.add(held);
    return {
      get lost() {
        return held.lost;
      },
      release: async () => {
        this.#held.delete(held);
        await held.release();
        releaseLocal();
      },
    };
  }

  /** Somebody released it. */
  released(name: string): void {
    this.#waiting.get(name)?.();
  }

  /** Held locks are let go as far as possible; what cannot be reached ends with its lease. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#local.close();
    const held = [...this.#held];
    this.#held.clear();
    await Promise.all(
      held.map(async (lock) => {
        lock.lose();
        await lock.release();
      }),
    );
  }

  async #acquireShared(
    name: string,
    { leaseMs, signal }: LockOptions,
    until: number,
  ): Promise<HeldLock | undefined> {
    const { clock } = this.#options;
    const token = randomUUID();
    for (;;) {
      const askedAt = clock.monotonic();
      let failure: unknown;
      try {
        if (await this.#ask(ACQUIRE, name, token, leaseMs)) return this.#hold(name, token, leaseMs, askedAt);
      } catch (error) {
        failure = error;
      }
      const left = until - clock.monotonic();
      const ended = signal?.aborted === true || this.#closing.signal.aborted;
      if (left > 0 && !ended) {
        await this.#untilReleased(name, Math.min(left, POLL_MS * (0.75 + Math.random() / 2)), signal);
        continue;
      }
      // It may have been granted without our knowing.
      if (failure !== undefined) await this.#release(name, token);
      if (this.#closing.signal.aborted) throw closing();
      if (ended) throw givenUp();
      if (failure !== undefined) throw unavailable(failure);
      return undefined;
    }
  }

  #hold(name: string, token: string, leaseMs: number, askedAt: number): HeldLock {
    return new HeldLock({
      clock: this.#options.clock,
      leaseMs,
      askedAt,
      renew: () => this.#ask(RENEW, name, token, leaseMs),
      release: () => this.#release(name, token),
    });
  }

  #untilReleased(name: string, ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        this.#closing.signal.removeEventListener('abort', done);
        this.#waiting.delete(name);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done);
      this.#closing.signal.addEventListener('abort', done);
      this.#waiting.set(name, done);
    });
  }

  async #ask(script: string, name: string, token: string, leaseMs: number): Promise<boolean> {
    const { redis, prefix } = this.#options;
    return (await redis.eval(script, 1, `${prefix}${name}`, token, Math.ceil(leaseMs))) === 1;
  }

  async #release(name: string, token: string): Promise<void> {
    const { redis, prefix, channel } = this.#options;
    try {
      await redis.eval(RELEASE, 1, `${prefix}${name}`, token, channel, name);
    } catch {
      // Not reachable: its lease ends it.
    }
  }
}
