import { HubError, toCallId, type CallId } from '../kernel/index.js';
import { isObject, ProtocolError, type JsonObject } from '../mcp/jsonrpc/index.js';
import { FacedError, type Face, type Refusal } from '../mcp/server/index.js';
import { MISSING_CLIENT_CAPABILITY, URL_ELICITATION_REQUIRED } from '../mcp/wire/index.js';
import { ERROR_FACES } from './error-faces.js';

/** In `_meta` of a result that reports a failure: the id that its events have. */
const CALL_ID = 'crosspoint/callId';

/** What becomes of a page that somebody has to visit: the client is told and calls again, was asked by a round, or knows no pages. */
export type Pages = 'told' | 'asked' | 'unknown';

/** A failure as the protocol library shows it to clients of either era. Unexpected ones show nothing of themselves. */
export function toMcpError(
  error: unknown,
  method: string,
  pages: Pages = 'unknown',
  callId?: CallId,
): unknown {
  // Other errors are the library's own or bugs, which it hides; what is no error is its way to suspend a request.
  if (!(error instanceof HubError)) return error;
  const known = callId && idOfFailed(error, callId);
  if (error.code === 'internal')
    return new ProtocolError(-32_603, 'Internal error', known && { callId: known });
  const special = ofUpstream(error, method, pages);
  if (special !== undefined) return special;
  const { modern, legacy } = ERROR_FACES[error.code];
  // What is no request at all is not written down.
  const recordedAs = error.code === 'invalid_request' ? undefined : known;
  const data = dataOf(error, recordedAs);
  const face = (shown: number | 'result'): Face => toFace(shown, error, method, data, recordedAs);
  return new FacedError({ modern: face(modern), legacy: face(legacy) });
}

/** A failure that is told again is that of an earlier call. */
function idOfFailed({ details }: HubError, callId: CallId): CallId {
  const of = details?.['callId'];
  return typeof of === 'string' ? toCallId(of) : callId;
}

function toFace(
  shown: number | 'result',
  error: HubError,
  method: string,
  data: JsonObject,
  callId: CallId | undefined,
): Face {
  if (shown === 'result' && method === 'tools/call') return { result: toErrorResult(error, callId) };
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
      error.code === 'unknown_resource' ? { ...data, uri: (error.details?.['uri'] as string) ?? '' } : data,
    ),
    refusal: refusalOf(error),
  };
}

/** Too much was asked for, or it cannot be done for the time being. Proxies and simple clients know these two by their status. */
function refusalOf({ code, retryAfterMs = 1_000, outcomeUnknown }: HubError): Refusal | undefined {
  const status = ERROR_FACES[code].admin;
  return (status === 429 || status === 503) && !outcomeUnknown ? { status, retryAfterMs } : undefined;
}

/** For the model: what went wrong and whether trying again is safe. */
function toErrorResult(error: HubError, callId: CallId | undefined): JsonObject {
  const text = error.outcomeUnknown
    ? `${error.message}. The call may have been carried out; check before repeating it.`
    : error.message;
  return {
    content: [{ type: 'text', text }],
    isError: true,
    ...(callId !== undefined && { _meta: { [CALL_ID]: callId } }),
  };
}

function dataOf(error: HubError, callId: CallId | undefined): JsonObject {
  const { reason } = error.details ?? {};
  return {
    reason: typeof reason === 'string' ? reason : error.code,
    ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
    ...(callId !== undefined && { callId }),
  };
}

/** Refusals of an upstream that mean something on our hop too, because the caller can do, or lacks, what they name. */
function ofUpstream(
  { code, message, details = {} }: HubError,
  method: string,
  pages: Pages,
): ProtocolError | FacedError | undefined {
  if (code !== 'upstream_rejected') return undefined;
  const { requiredCapabilities, elicitations } = details;
  if (isObject(requiredCapabilities)) return missing(message, requiredCapabilities);
  if (!Array.isArray(elicitations)) return undefined;
  if (pages === 'told') return new ProtocolError(URL_ELICITATION_REQUIRED, message, { elicitations });
  const text = `${message}. Somebody has to visit ${hostsOf(elicitations)} first, and this client cannot ask for that.`;
  const face: Face =
    method === 'tools/call'
      ? { result: { content: [{ type: 'text', text }], isError: true } }
      : { error: new ProtocolError(-32_603, text) };
  const modern = pages === 'unknown' ? { error: missing(text, { elicitation: { url: {} } }) } : face;
  return new FacedError({ modern, legacy: face });
}

/** The words are for clients that do not know this error, which are told nothing else. */
function missing(message: string, requiredCapabilities: JsonObject): ProtocolError {
  const names = Object.entries(requiredCapabilities).map(([kind, value]) => {
    const modes = isObject(value) ? Object.keys(value) : [];
    return modes.length === 0 ? kind : `${kind} (${modes.join(', ')})`;
  });
  const text = `${message.replace(/\.$/, '')}. The client would have to support ${names.join(' and ')}.`;
  return new ProtocolError(MISSING_CLIENT_CAPABILITY, text, { requiredCapabilities });
}

/** Addresses may hold secrets; where they lead does not. */
function hostsOf(pages: readonly unknown[]): string {
  const hosts = pages.map((page) => {
    const url = isObject(page) && typeof page['url'] === 'string' ? page['url'] : '';
    return URL.canParse(url) ? new URL(url).host : 'a page';
  });
  return [...new Set(hosts)].join(', ');
}
