/**
 * Short-lived state that processes of the hub share: locks, a change feed, messages from one to another and a small store,
 * in memory for one process, in that of their primary for the workers of one machine, and on Redis for several machines.
 * Nothing here outlives a restart, and nothing durable depends on it: a lock says who should act, the store's versions say
 * who did.
 */
export { openCoordination, type CoordinationOptions } from './open-coordination.js';
export { createMemoryCoordination } from './memory-coordination.js';
export { createSwitchboard, type MessageSeal } from './switchboard.js';
export { openWorkerLink, type WorkerLink } from './workers/worker-link.js';
export { WorkerHost, type AttachedWorker, type WorkerHostOptions } from './workers/worker-host.js';
