import type { WorkerLink } from '../coordination/index.js';
import type { Logger } from '../kernel/index.js';
import type { Config } from './config/config.js';
import type { RunningHub } from './serve.js';

/** The hub is loaded when it is started, so that commands which only look at files stay quick. */
export async function startHub(
  config: Config,
  logger: Logger,
  masterKey: string | undefined,
  link?: WorkerLink,
): Promise<RunningHub> {
  const { startHub: start } = await import('./serve.js');
  return start(config, logger, masterKey, link);
}
