import { Redis } from 'ioredis';
import type { Clock, Coordination, Logger } from '../../kernel/index.js';
import { connect, CONNECTION_OPTIONS, unavailable, watch } from './redis-connection.js';
import { RedisFeed } from './redis-feed.js';
import { RedisLocks } from './redis-locks.js';

export interface RedisCoordinationOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Two connections, because one that listens can do little else. */
export async function openRedisCoordination({
  url,
  clock,
  logger,
}: RedisCoordinationOptions): Promise<Coordination> {
  const redis = new Redis(url, CONNECTION_OPTIONS);
  const listening = new Redis(url, CONNECTION_OPTIONS);
  // Channels belong to the whole server, not to one of its databases.
  const prefix = `crosspoint:${redis.options.db ?? 0}:`;
  const channels = { feed: `${prefix}feed`, released: `${prefix}released` };
  const locks = new RedisLocks({ redis, prefix: `${prefix}lock:`, channel: channels.released, clock });
  const feed = new RedisFeed(redis, channels.feed);
  listening.on('message', (channel: string, message: string) => {
    if (channel === channels.feed) feed.received(message);
    if (channel === channels.released) locks.released(message);
  });
  const subscribe = () => listening.subscribe(channels.feed, channels.released);
  try {
    await Promise.all([connect(redis), connect(listening)]);
    await subscribe();
  } catch (error) {
    redis.disconnect();
    listening.disconnect();
    throw error;
  }
  listening.on('ready', () => {
    subscribe().then(
      () => feed.resumed(),
      () => listening.disconnect(true),
    );
  });
  const watches = [watch(redis, logger), watch(listening, logger)];
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    for (const each of watches) each.stop();
    feed.close();
    await locks.close();
    redis.disconnect();
    listening.disconnect();
  };
  return {
    kind: 'redis',
    locks,
    feed,
    get available() {
      return redis.status === 'ready' && listening.status === 'ready';
    },
    async check() {
      try {
        // A hub that does not hear of changes is not fit either.
        await Promise.all([redis.ping(), listening.ping()]);
      } catch (error) {
        throw unavailable(error);
      }
    },
    close: () => (closing ??= close()),
  };
}
