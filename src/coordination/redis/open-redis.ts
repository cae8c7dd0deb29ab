import { Redis } from 'ioredis';
import type { Clock, Coordination, Logger } from '../../kernel/index.js';
import { createSelfName } from '../self-name.js';
import { connect, CONNECTION_OPTIONS, unavailable, watch } from './redis-connection.js';
import { RedisFeed } from './redis-feed.js';
import { RedisLocks } from './redis-locks.js';
import { RedisStore } from './redis-store.js';

export interface RedisCoordinationOptions {
  readonly url: string;
  readonly name: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

const KEPT_MS = 60_000;

/** Two connections, because one that listens can do little else. */
export async function openRedisCoordination({
  url,
  name,
  clock,
  logger,
}: RedisCoordinationOptions): Promise<Coordination> {
  const redis = new Redis(url, CONNECTION_OPTIONS);
  const listening = new Redis(url, CONNECTION_OPTIONS);
  // Channels belong to the whole server, not to one of its databases.
  const prefix = ['crosspoint', redis.options.db ?? 0, ...(name === undefined ? [] : [name]), ''].join(':');
  const self = createSelfName();
  const channels = { feed: `${prefix}feed`, released: `${prefix}released`, own: `${prefix}to:${self}` };
  const locks = new RedisLocks({ redis, prefix: `${prefix}lock:`, channel: channels.released, clock });
  const feed = new RedisFeed(redis, channels.feed, `${prefix}to:`);
  listening.on('message', (channel: string, message: string) => {
    if (channel === channels.feed || channel === channels.own) feed.received(message);
    if (channel === channels.released) locks.released(message);
  });
  const subscribe = () => listening.subscribe(...Object.values(channels));
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
  const watched = await watchBoth(redis, listening, prefix, logger);
  const close = async (): Promise<void> => {
    watched.stop();
    feed.close();
    await locks.close();
    redis.disconnect();
    listening.disconnect();
  };
  return describe(watched, close, { self, locks, feed, store: new RedisStore(redis, prefix) });
}

/** Being connected is not enough: a server that became the copy of another, or has no room, answers and keeps nothing. */
async function watchBoth(redis: Redis, listening: Redis, prefix: string, logger: Logger) {
  const keep = () => redis.set(`${prefix}kept`, '', 'PX', KEPT_MS);
  const hear = () => listening.ping();
  const demoted = () => listening.disconnect(true);
  const watches = await Promise.all([
    watch(redis, { logger, look: keep, demoted }),
    watch(listening, { logger, look: hear }),
  ]);
  return {
    isFit: () => watches.every(({ isFit }) => isFit),
    // A hub that does not hear of changes is not fit either.
    look: () => Promise.all([keep(), hear()]),
    stop: () => {
      for (const each of watches) each.stop();
    },
  };
}

function describe(
  watched: Awaited<ReturnType<typeof watchBoth>>,
  close: () => Promise<void>,
  parts: Pick<Coordination, 'self' | 'locks' | 'feed' | 'store'>,
): Coordination {
  let closing: Promise<void> | undefined;
  return {
    kind: 'redis',
    ...parts,
    get available() {
      return watched.isFit();
    },
    async check() {
      try {
        await watched.look();
      } catch (error) {
        throw unavailable(error);
      }
    },
    close: () => (closing ??= close()),
  };
}
