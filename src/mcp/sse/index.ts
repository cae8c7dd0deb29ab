/**
 * `text/event-stream`: an incremental decoder of bytes and an encoder of events.
 *
 * Invariants: where a chunk ends never changes what is decoded; nothing is buffered beyond the bound on one event's
 * data; malformed UTF-8 in data is a fault, never a replacement character. Knows nothing of JSON-RPC or HTTP.
 */
export { ByteCollector, decodeUtf8 } from './byte-collector.js';
export { SseDecoder, type SseDecoderOptions, type SseEvent } from './decoder.js';
export { SseFault, type SseFaultKind } from './sse-fault.js';
export {
  writeComment,
  writeEvent,
  writeMessageEvent,
  writeMessageEvents,
  type SseEventToWrite,
} from './encoder.js';
