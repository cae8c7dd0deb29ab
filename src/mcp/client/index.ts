/**
 * One conversation with an MCP server: connecting in the era it speaks, requests and their answers, lists, input of the
 * user, subscriptions, recovery.
 *
 * Invariants: an answer reaches only the request it names; every wait has a deadline and can be aborted; a tool call is
 * never repeated unless the server refused it before looking at it; local faults (`TransportError`, `ClientError`) cannot
 * be mistaken for the peer's own errors (`ProtocolError`).
 */
export { connect, type ConnectOptions, type HttpAddress, type ServerAddress } from './connect.js';
export { McpClient, type CompletionReference, type CompletionRequest, type RawResult } from './mcp-client.js';
export { ClientError, type ClientErrorCode } from './client-error.js';
export { createMemoryVerdicts, type EraVerdict, type EraVerdicts } from './era-verdicts.js';
export { systemClock, type Clock } from './clock.js';
export type { ChangeSubscription, OnChange } from './change-subscription.js';
export type { InputRequiredResult } from './input-rounds.js';
export type { Listing, Rejection } from './listing.js';
export type { Peer } from './peer.js';
export type { TaskCreatedResult } from './tasks.js';
export type { FollowedTask } from './followed-task.js';
export { TASKS_EXTENSION } from '../model/index.js';
export {
  DEFAULT_TIMEOUTS,
  InputRefused,
  type CallOptions,
  type ClientHooks,
  type ClientOptions,
  type ClientWarning,
  type InputContext,
  type InputHandler,
  type InputHandlers,
  type KnownSchema,
  type StandingStream,
  type OngoingCall,
  type RawCallOptions,
  type RequestOptions,
  type SentRequest,
  type Timeouts,
  type TransportSource,
} from './options.js';
export { JsonNumber, ProtocolError, type Json, type JsonObject } from '../jsonrpc/index.js';
export type {
  CallResult,
  ChangeNotification,
  ClientCapabilities,
  CompletionResult,
  ContentBlock,
  Implementation,
  InputRequest,
  LogLevel,
  LogMessage,
  Progress,
  Prompt,
  PromptResult,
  ReadResult,
  Resource,
  ResourceTemplate,
  ServerCapabilities,
  SubscriptionFilter,
  Task,
  TaskState,
  Tool,
} from '../model/index.js';
