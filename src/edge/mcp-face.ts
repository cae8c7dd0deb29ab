import { HubError } from '../kernel/index.js';
import { ProtocolError, type JsonObject } from '../mcp/jsonrpc/index.js';
import { FacedError, type Face } from '../mcp/server/index.js';
import { ERROR_FACES } from './error-faces.js';

/** A failure as the protocol library shows it to clients of either era. Unexpected ones show nothing of themselves. */
export function toMcpError(error: unknown, method: string): unknown {
  // Other errors are the library's own or bugs, which it hides; what is no error is its way to suspend a request.
  if (!(error instanceof HubError)) return error;
  if (error.code === 'internal') return new ProtocolError(-32_603, 'Internal error');
  const { modern, legacy } = ERROR_FACES[error.code];
  const data = dataOf(error);
  const face = (shown: number | 'result'): Face => toFace(shown, error, method, data);
  return new FacedError({ modern: face(modern), legacy: face(legacy) });
}

function toFace(shown: number | 'result', error: HubError, method: string, data: JsonObject): Face {
  if (shown === 'result' && method === 'tools/call') return { result: toErrorResult(error) };
  const code =
    error.code === 'upstream_rejected'
      ? Number(error.details?.['rpcCode'] ?? -32_603)
      : shown === 'result'
        ? -32_603
        : shown;
  return {
    error: new ProtocolError(
      code,
      error.message,
      error.code === 'unknown_resource' ? { uri: (error.details?.['uri'] as string) ?? '' } : data,
    ),
  };
}

/** For the model: what went wrong and whether trying again is safe. */
function toErrorResult(error: HubError): JsonObject {
  const text = error.outcomeUnknown
    ? `${error.message}. The call may have been carried out; check before repeating it.`
    : error.message;
  return { content: [{ type: 'text', text }], isError: true };
}

function dataOf(error: HubError): JsonObject {
  const { reason } = error.details ?? {};
  return {
    reason: typeof reason === 'string' ? reason : error.code,
    ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
  };
}
