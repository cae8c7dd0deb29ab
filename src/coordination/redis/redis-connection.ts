import { ReplyError, type Redis, type RedisOptions } from 'ioredis';
import { HubError, type Logger } from '../../kernel/index.js';

const CONNECT_MS = 5_000;
const COMMAND_MS = 2_000;
/** How often it is asked whether the other end is still there, and still takes what it is given. */
const LOOK_MS = 5_000;
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

export interface Watched {
  /** It is connected, and did what it was last asked to. */
  readonly isFit: boolean;
  stop(): void;
}

export interface WatchOptions {
  readonly logger: Logger;
  /** Asks for what the connection is there for. */
  readonly look: () => Promise<unknown>;
  /** The server became a copy of another, which takes its place at the same address. */
  readonly demoted?: () => void;
}

/** Watches a connection: one that no longer answers is opened anew, and the log says when it is of no use, and when it is again. */
export async function watch(redis: Redis, { logger, look, demoted }: WatchOptions): Promise<Watched> {
  let isFit = false;
  let isTold = false;
  const unfit = (details: { readonly code?: string }, message: string): void => {
    isFit = false;
    if (!isTold) logger.error(details, message);
    isTold = true;
  };
  const closed = (): void => unfit({}, 'the connection to the coordination service was lost');
  /** `isDue`: so much time has passed that another connection may be tried. */
  const lookNow = async (isDue: boolean): Promise<void> => {
    try {
      await look();
      isFit = redis.status === 'ready';
      if (isTold) logger.info({}, 'the coordination service can be used again');
      isTold = false;
    } catch (error) {
      const code = codeOf(error);
      if (code !== undefined) unfit({ code }, 'the coordination service refuses what it is asked to keep');
      const isDemoted = code === 'READONLY' && isDue;
      if (redis.status !== 'ready' || (code !== undefined && !isDemoted)) return;
      if (isDemoted) demoted?.();
      redis.disconnect(true);
    }
  };
  const ready = (): void => void lookNow(false);
  const timer = setInterval(() => {
    if (redis.status === 'ready') void lookNow(true);
  }, LOOK_MS);
  timer.unref();
  await lookNow(false);
  redis.on('close', closed);
  redis.on('ready', ready);
  return {
    get isFit() {
      return isFit && redis.status === 'ready';
    },
    stop() {
      clearInterval(timer);
      redis.off('close', closed);
      redis.off('ready', ready);
    },
  };
}

/** The first word of what Redis answers; undefined where it was no answer. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error && error instanceof ReplyError)) return undefined;
  return /^[A-Z]+\b/.exec(error.message)?.[0];
}
