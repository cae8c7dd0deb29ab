/**
 * The server's side of MCP: from an HTTP request, or a message of a channel, to its answer, in both eras of the protocol.
 *
 * Invariants: every request gets exactly one answer, whatever a handler does. Handlers cannot tell the eras apart.
 * A session, its streams and its events are only ever reached together with the principal they belong to. Nothing
 * grows without a bound. Nothing is logged here: what no answer tells goes to `onEvent`.
 */
export { createMcpServer, serveChannel, type McpServer, type ServedChannel } from './mcp-server.js';
export type { MayListen } from './http/listening-streams.js';
export {
  toHttpFace,
  toNodeListener,
  type HttpFace,
  type NodeListenerOptions,
} from './adapters/node-listener.js';
export type { FrontTarget } from './adapters/front/front-connection.js';
export { createNodeServer, type NodeServerOptions } from './adapters/node-server.js';
export { toFetchHandler, type FetchHandlerOptions } from './adapters/fetch-handler.js';
export type { AuthenticationRefusal, EntryOptions } from './adapters/entry.js';
export { createGuard, type Guard, type GuardOptions, type GuardRefusal } from './adapters/guard.js';
export type { AnswerHeaders, AnswerStream, Exchange, ExchangeHeaders } from './exchange.js';
export {
  FacedError,
  type Refusal,
  InputRequired,
  PreparedResult,
  TaskCreated,
  type Face,
  type Handler,
  type HandlerResult,
  type Listen,
  type ListenRequest,
  type McpRequest,
  type ResumedRequest,
  type Subscription,
} from './handler.js';
export { prepareResult } from './prepared-result.js';
export type { TaskPort } from './tasks/task-port.js';
export { createNotifier, type Notifier } from './notifier.js';
export {
  DEFAULT_LIMITS,
  type CallTarget,
  type Load,
  type ServerLimits,
  type ServerOptions,
  type StreamSettings,
  type WaitingCall,
} from './options.js';
export type { ServerEvent, SessionEndReason } from './server-event.js';
export { MemorySessionStore, type MemorySessionOptions } from './legacy/memory-session-store.js';
export { MemoryEventStore, type MemoryEventOptions } from './legacy/memory-event-store.js';
export type { EventStore, SessionKey, StoredEvent, StoredRun } from './legacy/event-store.js';
export { StoreUnavailable, type SessionRecord, type SessionStore } from './legacy/session-store.js';
export type { PeerListener, SessionPeers } from './legacy/session-peers.js';
export { createStateSeal, type StateSeal, type StateSealOptions } from './input/state-seal.js';
export { INVALID_PARAMS, JsonNumber, ProtocolError, type Json, type JsonObject } from '../jsonrpc/index.js';
export type {
  ChangeNotification,
  ClientDescription,
  InputRequest,
  InputRequests,
  InputResponses,
  LogMessage,
  Progress,
  ServerDescription,
  SubscriptionFilter,
} from '../model/index.js';
