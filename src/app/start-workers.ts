import type { Logger } from '../kernel/index.js';
import type { Config } from './config/config.js';
import type { WorkerPrimary } from './workers/worker-primary.js';

export type { WorkerPrimary } from './workers/worker-primary.js';

/** Loaded when it is needed, as the hub itself. */
export async function openWorkerPrimary(
  config: Config,
  logger: Logger,
  masterKey: string | undefined,
): Promise<WorkerPrimary> {
  const { openWorkerPrimary: open } = await import('./workers/worker-primary.js');
  return open(config, logger, masterKey);
}
