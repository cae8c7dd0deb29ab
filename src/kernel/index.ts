/** What every module stands on: ids, errors, secrets, time, logging. No I/O, nothing of MCP. */
export {
  isName,
  NAME_RULE,
  randomToken,
  toAgentId,
  toCallId,
  toConnectorId,
  toKeyId,
  toPolicyId,
  type AgentId,
  type CallId,
  type ConnectorId,
  type KeyId,
  type PolicyId,
} from './ids.js';
export { cutText } from './cut-text.js';
export { FairQueue } from './fair-queue.js';
export { inSlices } from './in-slices.js';
export { isLoopback, LOOPBACK_NAMES } from './loopback.js';
export { once } from './once.js';
export { Secret } from './secret.js';
export {
  HUB_ERROR_CODES,
  HubError,
  invalidField,
  isHubError,
  type HubErrorCode,
  type HubErrorOptions,
} from './hub-error.js';
export { systemClock, type Clock } from './clock.js';
export { silentLogger, type LogFields, type Logger } from './logger.js';
export type { TaskPosition, TaskRecord, TaskStore } from './task-records.js';
export type { Ticket, TicketStore } from './tickets.js';
export type {
  AskedMore,
  AskOptions,
  Coordination,
  Feed,
  LineListener,
  ListBounds,
  Lock,
  LockOptions,
  Locks,
  SharedStore,
  Switchboard,
  TokenGrant,
  TokenWish,
} from './coordination.js';
export type { Span, SpanAttributes, TraceParent, Tracer } from './tracing.js';
