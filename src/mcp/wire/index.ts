/**
 * The two eras on the wire. Everything that differs between revisions is decided here, by functions of values:
 * envelopes and headers of modern messages, down-conversion for legacy clients, era detection, error codes.
 * Nothing here performs I/O, and no other module names a revision.
 */
export {
  allowsBatches,
  ASSUMED_LEGACY,
  hasLegacyTasks,
  hasUrlElicitation,
  isAtLeast,
  isLegacyRevision,
  isModernDate,
  isModernRevision,
  LEGACY_REVISIONS,
  MODERN_REVISIONS,
  negotiateLegacy,
  NEWEST_LEGACY,
  OLDEST_WITHOUT_BATCHES,
  NEWEST_MODERN,
  understandsPriming,
  type Era,
  type LegacyRevision,
  type ModernRevision,
  type Revision,
} from './revisions.js';
export {
  HEADER_MISMATCH,
  headerMismatch,
  MISSING_CLIENT_CAPABILITY,
  missingCapability,
  RESOURCE_NOT_FOUND,
  statusOfModernRejection,
  toLegacyError,
  toModernError,
  UNSUPPORTED_REVISION,
  unsupportedRevision,
  URL_ELICITATION_REQUIRED,
  USER_REJECTED,
} from './errors.js';
export {
  areCapabilities,
  claimsModern,
  envelopeKeys,
  isImplementation,
  META_CLIENT_CAPABILITIES,
  META_CLIENT_INFO,
  META_LOG_LEVEL,
  META_RELATED_TASK,
  META_REVISION,
  META_SERVER_INFO,
  META_SUBSCRIPTION_ID,
  metaOf,
  progressMember,
  readEnvelope,
  readProgressToken,
  withMeta,
  withoutHopMeta,
  type Envelope,
} from './meta.js';
export { continueTrace, traceHeaders } from './trace-context.js';
export {
  decodeHeaderValue,
  encodeHeaderValue,
  HEADER_METHOD,
  HEADER_NAME,
  HEADER_REVISION,
  HEADER_SESSION,
  nameMember,
  routingHeaders,
} from './headers.js';
export {
  checkParamHeaders,
  readParamHeaders,
  writeParamHeaders,
  type ParamHeader,
  type ParamHeaders,
} from './param-headers.js';
export { checkModernRequest, classifyInbound, readModernEnvelope } from './inbound.js';
export {
  mayRequireInput,
  readModernResult,
  writeInputRequired,
  writeModernResult,
  type CacheHints,
  type ModernResult,
} from './modern-result.js';
export { isOfProtocol } from './protocol-methods.js';
export { reducedKinds, toLegacyResult } from './legacy-result.js';
export {
  readLegacyTask,
  readTask,
  readTaskHandle,
  readTaskWish,
  relatedTask,
  toLegacyCapabilities,
  toLegacyTask,
  withoutRelatedTask,
  withRelatedTask,
  writeTask,
  writeTaskState,
} from './tasks.js';
export { missingForInput, reducedInput, toLegacyInput } from './legacy-input.js';
export { judgeProbe, type ProbeAnswer, type ProbeVerdict } from './detection.js';
