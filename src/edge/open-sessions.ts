import { createHash } from 'node:crypto';
import type { ServerOptions } from '../mcp/server/index.js';

/** Where the sessions of an endpoint are kept, other than in the memory of one process. */
export interface OpenSessions {
  readonly options: Pick<ServerOptions, 'sessions' | 'events' | 'peers'>;
  close(): void | Promise<void>;
}

/** What an endpoint is called in stores: short, and the same in every process. */
export function endpointName(name: string): string {
  return createHash('sha256').update(name).digest('base64url').slice(0, 16);
}
