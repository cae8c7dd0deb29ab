/**
 * Ways to move JSON-RPC messages to one peer and back: Streamable HTTP, the deprecated HTTP+SSE, stdio and
 * an in-memory pair. A `MessageChannel` is the server's end of the latter two.
 *
 * Invariants: a message is sent at most once; every wait has a limit and ends with `close()`; nothing is buffered beyond
 * the configured bounds; faults are `TransportError`s that quote neither credentials nor bodies. Knows nothing of what
 * messages mean.
 */
export {
  TransportError,
  type Outgoing,
  type Receiver,
  type Transport,
  type TransportErrorCode,
  type TransportErrorDetails,
  type TransportWarning,
} from './transport.js';
export type { ProgressRead } from './read-progress.js';
export { LegacySseTransport } from './legacy-sse.js';
export { StreamableHttpTransport } from './streamable-http.js';
export type { HttpLines } from './http-lines.js';
export { openPlainLines, type PlainLinesOptions } from './plain/plain-lines.js';
export type {
  HeaderProvider,
  HttpLimits,
  HttpTimeouts,
  HttpTls,
  HttpTransportOptions,
  ProvidedHeaders,
} from './http-options.js';
export { StdioTransport, type StdioLimits, type StdioOptions } from './stdio.js';
export { endLeftBehind, markProcess, type ProcessMark } from './left-behind.js';
export { digestOf, type BrokenPin } from './stdio-pins.js';
export type { ProcessLimits } from './process-meter.js';
export type { ShutdownTimes } from './process-shutdown.js';
export type { Spawn, StdioCommand } from './stdio-spawn.js';
export { createStdioChannel, type StdioChannelLimits, type StdioChannelOptions } from './stdio-channel.js';
export { createMemoryPair, type MemoryPair } from './memory.js';
export type { MessageChannel } from './message-channel.js';
