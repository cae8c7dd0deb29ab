import { INVALID_PARAMS, isObject, ProtocolError, type ErrorObject } from '../jsonrpc/index.js';
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

export function resourceNotFound(uri: string): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, 'Resource not found', { uri });
}

/** Statuses that the modern transport prescribes for errors found before a handler ran. */
export function statusOfModernRejection(code: number): number {
  return code === -32601 ? 404 : 400;
}

/** The error as a modern client may see it. */
export function toModernError(error: ErrorObject): ErrorObject {
  return error.code === RESOURCE_NOT_FOUND ? { ...error, code: INVALID_PARAMS } : error;
}

/** The error as a legacy client expects it: resources that do not exist had a code of their own. */
export function toLegacyError(method: string, error: ErrorObject): ErrorObject {
  const notFound =
    method === 'resources/read' &&
    error.code === INVALID_PARAMS &&
    isObject(error.data) &&
    typeof error.data['uri'] === 'string';
  return notFound ? { ...error, code: RESOURCE_NOT_FOUND } : error;
}
