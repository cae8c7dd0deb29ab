/**
 * Live conversations with upstreams, pooled by connector, credential and, where isolation asks for it, principal.
 * One place, the gate of a connector, decides about concurrency, turns and pauses. Nothing here repeats a call.
 */
export type {
  AskCaller,
  Caller,
  Lease,
  Round,
  RoundOptions,
  Upstream,
  UpstreamChange,
  UpstreamOptions,
  Upstreams,
  UpstreamState,
  UpstreamTask,
} from './upstream.js';
export { askProfileOf, type AskProfile } from './ask-profile.js';
export { changedOptions } from './changed-options.js';
export { createUpstreamPool } from './upstream-pool.js';
export type { Gate, GateListener } from './connector-gate.js';
export type { UpstreamPoolOptions } from './pool-options.js';
export type { ProcessFolder } from './open-client.js';
export { createGuardedFetch, type GuardedFetch, type GuardedFetchOptions } from './guarded-fetch.js';
export { createAuthorizationFetch } from './authorization-fetch.js';
export { AccessRefused, lifeSign, wordOf } from './upstream-failure.js';
export { UpstreamPaused } from './upstream-paused.js';
export type { ResourceWatcher } from './watched-resources.js';
export { createEgress, guardedLookup } from './egress.js';
