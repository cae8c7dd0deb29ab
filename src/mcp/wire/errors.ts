import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isObject,
  METHOD_NOT_FOUND,
  ProtocolError,
  type ErrorObject,
} from '../jsonrpc/index.js';
import type { ClientCapabilities } from '../model/index.js';
import { MODERN_REVISIONS } from './revisions.js';

export const HEADER_MISMATCH = -32020;
export const MISSING_CLIENT_CAPABILITY = -32021;
export const UNSUPPORTED_REVISION = -32022;
/** Legacy only; modern peers say `INVALID_PARAMS`. */
export const RESOURCE_NOT_FOUND = -32002;
/** 2025-11-25 only. */
export const URL_ELICITATION_REQUIRED = -32042;
/** What legacy clients answer when their user refuses a sampling request. */
export const USER_REJECTED = -1;

export function headerMismatch(message: string): ProtocolError {
  return new ProtocolError(HEADER_MISMATCH, message);
}

export function unsupportedRevision(requested: string): ProtocolError {
  return new ProtocolError(UNSUPPORTED_REVISION, 'Unsupported protocol version', {
    supported: [...MODERN_REVISIONS],
    requested,
  });
}

export function missingCapability(message: string, required: ClientCapabilities): ProtocolError {
  return new ProtocolError(MISSING_CLIENT_CAPABILITY, message, { requiredCapabilities: required as never });
}

/** Statuses that the modern transport prescribes for errors found before a handler ran. */
export function statusOfModernRejection(code: number): number {
  return code === METHOD_NOT_FOUND ? 404 : 400;
}

/** The error as a modern client may see it: codes of older revisions and codes kept for later ones are not sent. */
export function toModernError(error: ErrorObject): ErrorObject {
  if (error.code === RESOURCE_NOT_FOUND) return { ...error, code: INVALID_PARAMS };
  return isReservedButUndefined(error.code) ? { ...error, code: INTERNAL_ERROR } : error;
}

/** The specification owns -32020 to -32099 and has given a meaning to the first three. */
function isReservedButUndefined(code: number): boolean {
  return code < UNSUPPORTED_REVISION && code >= -32099;
}

/**
 * The error of a handler as a legacy client expects it: resources that do not exist had a code of their own, and the
 * codes of the modern era mean nothing to it.
 */
export function toLegacyError(method: string, error: ErrorObject): ErrorObject {
  if (MODERN_ONLY.has(error.code)) return { code: INTERNAL_ERROR, message: error.message };
  const notFound =
    method === 'resources/read' &&
    error.code === INVALID_PARAMS &&
    isObject(error.data) &&
    typeof error.data['uri'] === 'string';
  return notFound ? { ...error, code: RESOURCE_NOT_FOUND } : error;
}

const MODERN_ONLY: ReadonlySet<number> = new Set([
  HEADER_MISMATCH,
  MISSING_CLIENT_CAPABILITY,
  UNSUPPORTED_REVISION,
]);
