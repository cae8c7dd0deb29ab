import {
  HubError,
  silentLogger,
  systemClock,
  type Clock,
  type Coordination,
  type Logger,
} from '../kernel/index.js';
import { createMemoryCoordination } from './memory-coordination.js';

export interface CoordinationOptions {
  /** `memory:`, `redis://…` or `rediss://…`. It may hold a password. */
  readonly url: string;
  /** Of those who belong together: others that use the same server are neither heard nor held off. */
  readonly name?: string | undefined;
  readonly clock?: Clock;
  readonly logger?: Logger;
}

/** `config_invalid`: the address or what it says is wrong. `storage_unavailable`: it may work later. */
export async function openCoordination({
  url,
  name,
  clock = systemClock,
  logger = silentLogger,
}: CoordinationOptions): Promise<Coordination> {
  if (url === 'memory:') return createMemoryCoordination(clock);
  if (!/^rediss?:\/\//.test(url) || !URL.canParse(url))
    throw new HubError(
      'config_invalid',
      'the address of the coordination service must be "memory:", "redis://…" or "rediss://…"',
    );
  // Only hubs that share something pay for the library.
  const { openRedisCoordination } = await import('./redis/open-redis.js');
  return openRedisCoordination({ url, name, clock, logger });
}
