import { HubError } from '../../kernel/index.js';
import type { Config } from './config.js';

/** An SQLite store has one writer, and what is in the memory of one process no other sees. */
export function checkWorkers({ server: { workers }, storageUrl, coordinationUrl }: Config): void {
  if (workers === 1 || (/^postgres(?:ql)?:/.test(storageUrl) && coordinationUrl !== 'memory:')) return;
  throw new HubError(
    'config_invalid',
    `server.workers: ${workers} workers need a store they can share: set storage.url to postgres://… and coordination.url to redis://…, or use 1 worker`,
  );
}
