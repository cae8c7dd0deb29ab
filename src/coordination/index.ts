/**
 * Short-lived state that processes of the hub share: locks and a change feed, in memory for one process and on Redis for
 * several. Nothing here outlives a restart, and nothing durable depends on it: a lock says who should act, the store's
 * versions say who did.
 */
export { openCoordination, type CoordinationOptions } from './open-coordination.js';
export { createMemoryCoordination } from './memory-coordination.js';
