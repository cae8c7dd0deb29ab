import { setTimeout as sleep } from 'node:timers/promises';
import { openWaitingRoom, type Config, type RunningHub } from '../app/index.js';
import { isHubError, type Logger } from '../kernel/index.js';
import { reasonBehind, toStartFailure } from './start-failure.js';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
/** A wrong name or password, no such database, no right to it: whoever asks again is told the same. */
const REFUSED = /^(?:28|3D|42)[0-9A-Z]{3}$/;

/** Whether a hub failed to start only because a server that it needs is not there yet. */
export function isAway(error: unknown, { storageUrl }: Pick<Config, 'storageUrl'>): boolean {
  // A file is there or not, and a second hub on it must not wait for the first to end.
  if (storageUrl.startsWith('sqlite:') || !isHubError(error, 'storage_unavailable')) return false;
  return !REFUSED.test(reasonBehind(error) ?? '');
}

/** `makeWay` is called when everything is there and the port is needed. */
export type StartAttempt = (makeWay: () => Promise<void>) => Promise<RunningHub>;

/** Tries again until what is away is back, and meanwhile tells probes that the hub is alive and not ready. */
export async function startWhenBack(
  start: StartAttempt,
  first: unknown,
  config: Config,
  logger: Logger,
): Promise<RunningHub> {
  const tell = (error: unknown): string => {
    const { message, hint } = toStartFailure(error, config);
    logger.warn({ reason: message, hint }, 'the hub waits for what it cannot start without');
    return message;
  };
  let told = tell(first);
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const room = await openWaitingRoom(config);
    try {
      // Replicas that lost the same server do not come back to it at the same moment.
      await sleep(pauseMs * (0.5 + Math.random() / 2));
      return await start(() => room.close());
    } catch (error) {
      if (!isAway(error, config)) throw error;
      if (toStartFailure(error, config).message !== told) told = tell(error);
    } finally {
      await room.close();
    }
  }
}
