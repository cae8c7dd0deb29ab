import type { Redis } from 'ioredis';
import type { ListBounds, SharedStore, TokenGrant, TokenWish } from '../../kernel/index.js';
import { unavailable } from './redis-connection.js';

const REPLACE = `
if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('set', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;

/** The bytes of a list are counted beside it. */
const PUSH = `
redis.call('rpush', KEYS[1], ARGV[1])
local bytes = redis.call('incrby', KEYS[2], #ARGV[1])
local items = redis.call('llen', KEYS[1])
while items > tonumber(ARGV[3]) or bytes > tonumber(ARGV[4]) do
  local first = redis.call('lpop', KEYS[1])
  if not first then break end
  bytes = redis.call('decrby', KEYS[2], #first)
  items = items - 1
end
redis.call('pexpire', KEYS[1], ARGV[2])
redis.call('pexpire', KEYS[2], ARGV[2])
return 1`;

/** By the clock of the server, which is the same for everybody. */
const NOW = `
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

const JOIN = `${NOW}
redis.call('zremrangebyscore', KEYS[1], '-inf', now)
if not redis.call('zscore', KEYS[1], ARGV[1]) and redis.call('zcard', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('zadd', KEYS[1], now + ARGV[2], ARGV[1])
if redis.call('pttl', KEYS[1]) < tonumber(ARGV[2]) then redis.call('pexpire', KEYS[1], ARGV[2]) end
return 1`;

const DISMISS = `${NOW}
redis.call('zremrangebyscore', KEYS[1], '-inf', now)
local first = redis.call('zrange', KEYS[1], 0, 0, 'WITHSCORES')
if not first[1] or tonumber(first[2]) > now + ARGV[1] then return false end
redis.call('zrem', KEYS[1], first[1])
return first[1]`;

const TAKE_TOKENS = `${NOW}
local rate, burst, most = tonumber(ARGV[1]) / 1000, tonumber(ARGV[2]), tonumber(ARGV[3])
local bucket = redis.call('hmget', KEYS[1], 'tokens', 'at')
local tokens = burst
if bucket[1] then tokens = math.min(burst, bucket[1] + math.max(0, now - bucket[2]) * rate) end
local granted = math.min(most, math.floor(tokens))
redis.call('hset', KEYS[1], 'tokens', tostring(tokens - granted), 'at', now)
redis.call('pexpire', KEYS[1], math.ceil(burst / rate))
local wait = 0
if granted == 0 then wait = math.ceil((1 - tokens) / rate) end
return { granted, wait }`;

/** Values, lists, groups and buckets each have names of their own. Nothing is kept without an end. */
export class RedisStore implements SharedStore {
  readonly #redis: Redis;
  readonly #prefix: string;

  constructor(redis: Redis, prefix: string) {
    this.#redis = redis;
    this.#prefix = prefix;
  }

  async get(key: string, keepMs?: number): Promise<string | undefined> {
    const name = this.#name('value', key);
    const found = await known(
      keepMs === undefined ? this.#redis.get(name) : this.#redis.getex(name, 'PX', Math.ceil(keepMs)),
    );
    return found ?? undefined;
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    await known(this.#redis.set(this.#name('value', key), value, 'PX', Math.ceil(ttlMs)));
  }

  async add(key: string, value: string, ttlMs: number): Promise<boolean> {
    const name = this.#name('value', key);
    return (await known(this.#redis.set(name, value, 'PX', Math.ceil(ttlMs), 'NX'))) === 'OK';
  }

  async replace(key: string, before: string, after: string, ttlMs: number): Promise<boolean> {
    const name = this.#name('value', key);
    return (await known(this.#redis.eval(REPLACE, 1, name, before, after, Math.ceil(ttlMs)))) === 1;
  }

  async delete(key: string): Promise<void> {
    const list = this.#name('list', key);
    await known(this.#redis.del(this.#name('value', key), list, bytesOf(list)));
  }

  async push(key: string, value: string, { ttlMs, items, bytes }: ListBounds): Promise<void> {
    const name = this.#name('list', key);
    await known(this.#redis.eval(PUSH, 2, name, bytesOf(name), value, Math.ceil(ttlMs), items, bytes));
  }

  list(key: string): Promise<readonly string[]> {
    return known(this.#redis.lrange(this.#name('list', key), 0, -1));
  }

  async join(
    group: string,
    member: string,
    { ttlMs, most }: { readonly ttlMs: number; readonly most: number },
  ): Promise<boolean> {
    const name = this.#name('group', group);
    const wanted = Number.isFinite(most) ? most : Number.MAX_SAFE_INTEGER;
    return (await known(this.#redis.eval(JOIN, 1, name, member, Math.ceil(ttlMs), wanted))) === 1;
  }

  async leave(group: string, member: string): Promise<void> {
    await known(this.#redis.zrem(this.#name('group', group), member));
  }

  async dismiss(group: string, leftMs: number): Promise<string | undefined> {
    const first = await known(this.#redis.eval(DISMISS, 1, this.#name('group', group), Math.floor(leftMs)));
    return typeof first === 'string' ? first : undefined;
  }

  async takeTokens(bucket: string, { perSecond, burst, atMost }: TokenWish): Promise<TokenGrant> {
    const name = this.#name('tokens', bucket);
    const answer = await known(this.#redis.eval(TAKE_TOKENS, 1, name, perSecond, burst, atMost));
    const [granted, waitMs] = answer as [number, number];
    return { granted, waitMs };
  }

  #name(kind: string, key: string): string {
    return `${this.#prefix}${kind}:${key}`;
  }
}

function bytesOf(list: string): string {
  return `${list}:bytes`;
}

async function known<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw unavailable(error);
  }
}
