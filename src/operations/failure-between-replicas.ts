import { HubError, type HubErrorCode } from '../kernel/index.js';
import type { JsonObject } from '../mcp/jsonrpc/index.js';

/** A failure as one replica tells another of it. */
export function writeFailure(error: unknown): JsonObject {
  if (!(error instanceof HubError)) return { code: 'internal', message: 'unexpected failure' };
  const { code, message, details, retryAfterMs, outcomeUnknown } = error;
  return {
    code,
    message,
    outcomeUnknown,
    ...(details !== undefined && { details: details as JsonObject }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

export function readFailure({ code, message, ...options }: JsonObject): HubError {
  return new HubError(code as HubErrorCode, message as string, options);
}
