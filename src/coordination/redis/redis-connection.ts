import type { Redis, RedisOptions } from 'ioredis';
import { HubError, type Logger } from '../../kernel/index.js';

const CONNECT_MS = 5_000;
const COMMAND_MS = 2_000;
/** How often a quiet connection is asked whether the other end is still there. */
const PING_MS = 5_000;
const LONGEST_PAUSE_MS = 2_000;

/** Nothing is queued while the connection is down and nothing is sent twice: every command answers or fails in bounded time. */
export const CONNECTION_OPTIONS: RedisOptions = {
  lazyConnect: true,
  connectTimeout: CONNECT_MS,
  commandTimeout: COMMAND_MS,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  // Done here, so that listeners learn when it has happened.
  autoResubscribe: false,
  retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), LONGEST_PAUSE_MS),
  connectionName: 'crosspoint',
  disableClientInfo: true,
};

/** Connects, and from then on keeps connected. What the server says is not repeated: it may quote the password. */
export async function connect(redis: Redis): Promise<void> {
  // Without a listener an error would end the process; what matters is told to whoever waits for a command.
  let refusal: unknown;
  redis.on('error', (error: unknown) => (refusal = error));
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    redis.disconnect();
    throw isRefusal(refusal) || isRefusal(error)
      ? new HubError('config_invalid', 'the coordination service refuses the name or password given')
      : unavailable(error);
  }
}

/** The first word of what Redis answers is its code. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && /^(WRONGPASS|NOAUTH|NOPERM)\b/.test(error.message);
}

export function unavailable(cause?: unknown): HubError {
  return new HubError('storage_unavailable', 'the coordination service cannot be reached at the moment', {
    cause,
  });
}

/** Watches a connection: one that no longer answers is opened anew, and the log says when it is gone and back. */
export function watch(redis: Redis, logger: Logger): { stop(): void } {
  let down = false;
  const lost = () => {
    if (!down) logger.error({}, 'the connection to the coordination service was lost');
    down = true;
  };
  const back = () => {
    if (down) logger.info({}, 'the connection to the coordination service is back');
    down = false;
  };
  redis.on('close', lost);
  redis.on('ready', back);
  const timer = setInterval(() => {
    if (redis.status === 'ready') redis.ping().catch(() => redis.disconnect(true));
  }, PING_MS);
  timer.unref();
  return {
    stop() {
      clearInterval(timer);
      redis.off('close', lost);
      redis.off('ready', back);
    },
  };
}
