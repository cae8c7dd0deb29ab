import type { Logger } from '../kernel/index.js';
import type { Config } from './config/config.js';
import type { RunningHub, StartOptions } from './serve.js';
import type { WaitingRoom } from './waiting-room.js';

/** The hub is loaded when it is started, so that commands which only look at files stay quick. */
export async function startHub(
  config: Config,
  logger: Logger,
  masterKey: string | undefined,
  options?: StartOptions,
): Promise<RunningHub> {
  const { startHub: start } = await import('./serve.js');
  return start(config, logger, masterKey, options);
}

/** Loaded when it is needed, as the hub itself. */
export async function openWaitingRoom(config: Config): Promise<WaitingRoom> {
  const { openWaitingRoom: open } = await import('./waiting-room.js');
  return open(config);
}
