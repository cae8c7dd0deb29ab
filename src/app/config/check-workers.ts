import { HubError } from '../../kernel/index.js';
import type { Config } from './config.js';

/**
 * Workers share a file through the process that runs them, and a Postgres through Redis. A store in memory, or a Postgres
 * with nothing beside it, they cannot share.
 */
export function checkWorkers({ server: { workers }, storageUrl, coordinationUrl }: Config): void {
  if (workers === 1) return;
  const embedded = hasEmbeddedStore({ storageUrl });
  if (embedded && coordinationUrl !== 'memory:')
    throw new HubError(
      'config_invalid',
      `server.workers: on SQLite ${workers} workers share what they need without Redis: remove coordination.url, or set storage.url to postgres://…`,
    );
  if (embedded ? !storageUrl.includes(':memory:') : coordinationUrl !== 'memory:') return;
  throw new HubError(
    'config_invalid',
    embedded
      ? `server.workers: ${workers} workers need a store they can share: set storage.url to sqlite:FILE, or use 1 worker`
      : `server.workers: on Postgres ${workers} workers need coordination.url to be redis://…; or use 1 worker`,
  );
}

export function hasEmbeddedStore({ storageUrl }: Pick<Config, 'storageUrl'>): boolean {
  return storageUrl.startsWith('sqlite:');
}
