import type { Redis } from 'ioredis';
import type { Feed } from '../../kernel/index.js';
import { LocalFeed } from '../local-feed.js';
import { unavailable } from './redis-connection.js';

const RETRY_MS = 1_000;

interface Envelope {
  readonly topic: string;
  /** Absent: messages of this topic were lost on their way out. */
  readonly message?: string;
}

/**
 * One channel for all topics, and one for each process: they are open before anybody subscribes, so nothing is lost
 * between the two.
 */
export class RedisFeed implements Feed {
  readonly #redis: Redis;
  readonly #channel: string;
  /** Followed by the name of a process. */
  readonly #inbox: string;
  readonly #local = new LocalFeed();
  /** Topics of which something could not be sent. */
  readonly #unsent = new Set<string>();
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(redis: Redis, channel: string, inbox: string) {
    this.#redis = redis;
    this.#channel = channel;
    this.#inbox = inbox;
  }

  publish(topic: string, message: string): void {
    if (!this.#closed) void this.#send({ topic, message });
  }

  async reach(topic: string, message: string): Promise<number> {
    return this.#closed ? 0 : this.#send({ topic, message });
  }

  async send(to: string, topic: string, message: string): Promise<boolean> {
    if (this.#closed) return false;
    try {
      return (await this.#redis.publish(this.#inbox + to, JSON.stringify({ topic, message }))) > 0;
    } catch (error) {
      throw unavailable(error);
    }
  }

  subscribe(topic: string, listener: (message: string | undefined) => void): () => void {
    return this.#local.subscribe(topic, listener);
  }

  /** Of a channel. */
  received(text: string): void {
    const envelope = parseEnvelope(text);
    if (envelope !== undefined) this.#local.deliver(envelope.topic, envelope.message);
  }

  /** The subscription was interrupted. */
  resumed(): void {
    this.#local.deliverLoss();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    this.#local.close();
  }

  async #send(envelope: Envelope): Promise<number> {
    try {
      return await this.#redis.publish(this.#channel, JSON.stringify(envelope));
    } catch {
      if (this.#closed) return 0;
      this.#unsent.add(envelope.topic);
      this.#retry ??= setTimeout(() => this.#sendLosses(), RETRY_MS);
      this.#retry.unref();
      return 0;
    }
  }

  /** Others could not hear it, and their own connections may have been up: they are told to look. */
  #sendLosses(): void {
    this.#retry = undefined;
    const topics = [...this.#unsent];
    this.#unsent.clear();
    for (const topic of topics) void this.#send({ topic });
  }
}

/** Whoever reaches the server can write to the channel; what is not ours is passed over. */
function parseEnvelope(text: string): Envelope | undefined {
  try {
    const { topic, message } = JSON.parse(text) as { readonly topic?: unknown; readonly message?: unknown };
    if (typeof topic !== 'string' || (message !== undefined && typeof message !== 'string')) return undefined;
    return message === undefined ? { topic } : { topic, message };
  } catch {
    return undefined;
  }
}
