import type { Clock, ListBounds, SharedStore, TokenGrant, TokenWish } from '../kernel/index.js';
import { closing } from './local-locks.js';

interface Timed {
  until: number;
}
interface Value extends Timed {
  readonly value: string;
}
interface List extends Timed {
  readonly values: string[];
  bytes: number;
}
interface Bucket extends Timed {
  tokens: number;
  at: number;
}

const SWEEP_MS = 30_000;

/** In this process. What is past its time is as if it were not there, and its room is freed now and then. */
export class LocalStore implements SharedStore {
  readonly #clock: Clock;
  readonly #values = new Map<string, Value>();
  readonly #lists = new Map<string, List>();
  readonly #groups = new Map<string, Map<string, Timed>>();
  readonly #buckets = new Map<string, Bucket>();
  readonly #sweep: NodeJS.Timeout;
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sweep = setInterval(() => this.#dropOld(), SWEEP_MS);
    this.#sweep.unref();
  }

  async get(key: string, keepMs?: number): Promise<string | undefined> {
    const found = current(this.#values, key, this.#now());
    if (found !== undefined && keepMs !== undefined) found.until = this.#now() + keepMs;
    return found?.value;
  }

  async set(key: string, value: string, ttlMs: number): Promise<void> {
    this.#values.set(key, { value, until: this.#now() + ttlMs });
  }

  async add(key: string, value: string, ttlMs: number): Promise<boolean> {
    if (current(this.#values, key, this.#now()) !== undefined) return false;
    this.#values.set(key, { value, until: this.#now() + ttlMs });
    return true;
  }

  async replace(key: string, before: string, after: string, ttlMs: number): Promise<boolean> {
    if (current(this.#values, key, this.#now())?.value !== before) return false;
    this.#values.set(key, { value: after, until: this.#now() + ttlMs });
    return true;
  }

  async delete(key: string): Promise<void> {
    this.#now();
    this.#values.delete(key);
    this.#lists.delete(key);
  }

  async push(key: string, value: string, { ttlMs, items, bytes }: ListBounds): Promise<void> {
    const now = this.#now();
    const list = current(this.#lists, key, now) ?? { values: [], bytes: 0, until: 0 };
    list.values.push(value);
    list.bytes += Buffer.byteLength(value);
    list.until = now + ttlMs;
    while (list.values.length > items || list.bytes > bytes)
      list.bytes -= Buffer.byteLength(list.values.shift() ?? '');
    this.#lists.set(key, list);
  }

  async list(key: string): Promise<readonly string[]> {
    return [...(current(this.#lists, key, this.#now())?.values ?? [])];
  }

  async join(
    group: string,
    member: string,
    { ttlMs, most }: { readonly ttlMs: number; readonly most: number },
  ): Promise<boolean> {
    const now = this.#now();
    const members = this.#groups.get(group) ?? new Map<string, Timed>();
    dropPast(members, now);
    if (!members.has(member) && members.size >= most) return false;
    members.set(member, { until: now + ttlMs });
    this.#groups.set(group, members);
    return true;
  }

  async leave(group: string, member: string): Promise<void> {
    this.#now();
    const members = this.#groups.get(group);
    members?.delete(member);
    if (members?.size === 0) this.#groups.delete(group);
  }

  async dismiss(group: string, leftMs: number): Promise<string | undefined> {
    const now = this.#now();
    const members = this.#groups.get(group) ?? new Map<string, Timed>();
    dropPast(members, now);
    let first: string | undefined;
    let until = now + leftMs;
    for (const [member, timed] of members) {
      if (timed.until > until || (first !== undefined && timed.until === until)) continue;
      first = member;
      ({ until } = timed);
    }
    if (first !== undefined) await this.leave(group, first);
    return first;
  }

  async takeTokens(name: string, { perSecond, burst, atMost }: TokenWish): Promise<TokenGrant> {
    const now = this.#now();
    const bucket = current(this.#buckets, name, now) ?? { tokens: burst, at: now, until: 0 };
    const tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);
    const granted = Math.min(atMost, Math.floor(tokens));
    this.#buckets.set(name, {
      tokens: tokens - granted,
      at: now,
      // By then it is full, which is what no bucket means too.
      until: now + (burst / perSecond) * 1000,
    });
    return { granted, waitMs: granted > 0 ? 0 : Math.ceil(((1 - tokens) / perSecond) * 1000) };
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#sweep);
    for (const all of [this.#values, this.#lists, this.#groups, this.#buckets]) all.clear();
  }

  #now(): number {
    if (this.#closed) throw closing();
    return this.#clock.monotonic();
  }

  #dropOld(): void {
    const now = this.#now();
    for (const all of [this.#values, this.#lists, this.#buckets]) dropPast<Timed>(all, now);
    for (const [name, members] of this.#groups) {
      dropPast(members, now);
      if (members.size === 0) this.#groups.delete(name);
    }
  }
}

function current<T extends Timed>(all: Map<string, T>, key: string, now: number): T | undefined {
  const found = all.get(key);
  if (found === undefined || found.until > now) return found;
  all.delete(key);
  return undefined;
}

function dropPast<T extends Timed>(all: Map<string, T>, now: number): void {
  for (const [key, { until }] of all) if (until <= now) all.delete(key);
}
