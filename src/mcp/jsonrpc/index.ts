/**
 * JSON-RPC 2.0: parsing with bounds, the four kinds of message, errors, writing.
 *
 * Invariants: a value that leaves `parseJson` has no duplicate keys (strict limits), bounded depth and size, and no
 * rounded numbers. A `Message` has a well-formed id of its original type. Knows nothing of MCP.
 */
export { JsonError, type JsonFault } from './json-error.js';
export {
  parseJson,
  parseMessage,
  STRICT_JSON,
  TOLERANT_JSON,
  type Json,
  type JsonLimits,
  type JsonObject,
} from './json.js';
export { JsonNumber, keepText, stringifyAndKeep, stringifyJson } from './json-number.js';
export {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  ProtocolError,
  type ErrorObject,
} from './errors.js';
export {
  answeredId,
  seeminglyAnsweredId,
  InvalidMessage,
  isObject,
  withoutNullMembers,
  isRequestId,
  toMessage,
  type ErrorMessage,
  type Message,
  type NotificationMessage,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
  type ResultMessage,
} from './messages.js';
export { SlotList, type Slotted } from './slot-list.js';
export { TurnoverMap } from './turnover-map.js';
export { withDefaults } from './with-defaults.js';
export { writeError, writeNotification, writeRequest, writeResult } from './write.js';
