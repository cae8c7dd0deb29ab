import { INVALID_REQUEST, ProtocolError, type RequestId } from '../../jsonrpc/index.js';
import { HEADER_REVISION, isAtLeast, isLegacyRevision, type LegacyRevision } from '../../wire/index.js';
import type { Exchange } from '../exchange.js';
import { sendError } from '../http/answers.js';

/** What servers of the handshake era answer to whoever did not begin with one. */
export const NOT_INITIALIZED = -32000;
/** The usual code; clients go by the status. */
export const SESSION_NOT_FOUND = -32001;

/**
 * Answers 400 and returns false when a version is named that is not served, be it that it is older than `oldest`. None need
 * be named.
 */
export function requireServedRevision(
  exchange: Exchange,
  id: RequestId | null,
  oldest?: LegacyRevision,
): boolean {
  const named = exchange.headers[HEADER_REVISION]?.trim();
  if (named === undefined) return true;
  if (isLegacyRevision(named) && isServed(named, oldest)) return true;
  sendError(exchange, 400, id, new ProtocolError(INVALID_REQUEST, 'Unsupported MCP-Protocol-Version'));
  return false;
}

/** Whether a version is not among those that are left out. */
export function isServed(revision: LegacyRevision, oldest: LegacyRevision | undefined): boolean {
  return oldest === undefined || isAtLeast(revision, oldest);
}
