import type { Connector, Endpoint } from '../connectors/index.js';
import { cutText, HubError, type HubErrorCode } from '../kernel/index.js';
import { ClientError, type ClientErrorCode } from '../mcp/client/index.js';
import { INVALID_PARAMS, isObject, ProtocolError, type JsonObject } from '../mcp/jsonrpc/index.js';
import { isWebPage, TASKS_EXTENSION } from '../mcp/model/index.js';
import { TransportError, type TransportErrorCode } from '../mcp/transports/index.js';
import { secretsOfEndpoint, withoutSecrets } from './without-secrets.js';

/**
 * The upstream did not let us in. Whatever was asked was not done. What it answered is kept for those who may act on it
 * and stands in no message.
 */
export class AccessRefused extends HubError {
  readonly status: 401 | 403;
  /** Its `WWW-Authenticate`. */
  readonly challenge: string | undefined;

  constructor(message: string, error: TransportError) {
    super('credential_required', message, {
      cause: error,
      details: { reason: error.code, ...(error.status !== undefined && { status: error.status }) },
    });
    this.status = error.code === 'HTTP_UNAUTHORIZED' ? 401 : 403;
    this.challenge = error.challenge;
  }
}

/** For whoever still holds the description of before: it must not end what goes on under the new one. */
export function connectorChanged({ id }: Connector): HubError {
  return new HubError('upstream_closed', `connector ${id} was changed meanwhile; call again`);
}

/** Why a conversation could not be opened. Whatever was to be said in it was not said. */
export function toOpenFailure(error: unknown, connector: Connector, shown?: Headers): HubError {
  const failure = toHubError(error, connector, shown);
  if (failure instanceof AccessRefused) return failure;
  const { code, message, cause, details, retryAfterMs } = failure;
  return new HubError(code, message, {
    cause,
    ...(details && { details }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

/**
 * A failure of the wire, of the client or of the upstream, as the hub's own. Keeps the cause, shows nothing of it, nor of
 * the headers that were shown to the upstream, the variables that a process was given or what is generated in an address.
 */
export function toHubError(error: unknown, connector: Connector, shown: Headers = {}): HubError {
  if (error instanceof HubError) return error;
  if (error instanceof ProtocolError) return rejection(error, connector, shown);
  const name = `connector ${connector.id}`;
  if (error instanceof TransportError) {
    const [code] = TRANSPORT[error.code];
    const message = `${name}: ${describe(error)}`;
    if (code === 'credential_required') return new AccessRefused(message, error);
    return new HubError(code, message, {
      cause: error,
      details: { reason: error.code, ...(error.status !== undefined && { status: error.status }) },
      retryAfterMs: error.retryAfterMs,
      outcomeUnknown: error.mayHaveArrived && code !== 'upstream_rejected',
    });
  }
  if (error instanceof ClientError) {
    const [code, text] = CLIENT[error.code];
    return new HubError(code, `${name}: ${text}`, {
      cause: error,
      details: { reason: error.code, ...(error.taskEnded && { taskEnded: true }) },
      outcomeUnknown: error.mayHaveArrived,
    });
  }
  return new HubError('internal', `${name}: unexpected failure`, { cause: error, outcomeUnknown: true });
}

/** Why a process did not stand, in words that follow the name of its connector. */
export function whyNotOpened(error: unknown, connector: Connector): string {
  if (error instanceof ProtocolError) return rejection(error, connector, {}).message;
  if (error instanceof TransportError) return describe(error);
  return error instanceof ClientError ? CLIENT[error.code][1] : 'unexpected failure';
}

/** With what is known of the reason, where that helps to mend it. */
function describe({ code, status, exitCode, why }: TransportError): string {
  const text = TRANSPORT[code][1];
  if (why !== undefined) return `${text}: ${why}`;
  if (exitCode !== undefined) return `${text} with code ${exitCode}`;
  return status === undefined ? text : `${text} (HTTP ${status})`;
}

const STILL_THERE: ReadonlySet<unknown> = new Set(['MCP_SESSION_NOT_FOUND', 'session_lost']);
/** Ended by us, or the end of a process, for which there is a count of its own. */
const OTHERWISE_COUNTED: ReadonlySet<unknown> = new Set([
  'closed',
  'STDIO_EXITED',
  'STDIO_OVER_LIMIT',
  'STDIO_SPAWN_FAILED',
  'STDIO_PIN_BROKEN',
  'task_lost',
]);

/** What a failure tells of the upstream. One that answers, however badly, lives. */
export function lifeSign({ code, details = {} }: HubError): 'alive' | 'dead' | 'unclear' {
  const { reason, status } = details;
  switch (code) {
    case 'upstream_rejected':
    case 'credential_required':
      return 'alive';
    case 'upstream_timeout':
      return 'dead';
    case 'upstream_unavailable':
    case 'upstream_closed':
      if (OTHERWISE_COUNTED.has(reason)) return 'unclear';
      return STILL_THERE.has(reason) || (typeof status === 'number' && status < 500) ? 'alive' : 'dead';
    default:
      return 'unclear';
  }
}

const MAX_TEXT = 512;

type Headers = Readonly<Record<string, string>>;

/** The upstream's own word, without what could act on a terminal or a page, and without what it was shown or given. */
export function wordOf(error: ProtocolError, endpoint: Endpoint, shown: Headers): string {
  // A header may name the scheme first.
  const secrets = Object.values(shown).map((value) => value.replace(/^\w+ /, ''));
  const text = withoutSecrets(error.message, [...secrets, ...secretsOfEndpoint(endpoint)]);
  return cutText(text.replace(/[\p{Cc}\p{Cf}]/gu, ' '), MAX_TEXT);
}

/** Without codes that mean something on our hop. */
function rejection(error: ProtocolError, connector: Connector, shown: Headers): HubError {
  const message = wordOf(error, connector.endpoint, shown);
  const reserved = error.code <= -32_000 && error.code >= -32_099;
  return new HubError('upstream_rejected', message || 'the upstream refused the request', {
    cause: error,
    details: {
      connector: connector.id,
      rpcCode: reserved ? -32_603 : error.code,
      ...(namesMissing(error) && { missing: true }),
      ...pagesToVisit(error),
      ...abilitiesMissing(error),
    },
  });
}

const URL_ELICITATION_REQUIRED = -32_042;
const MOST_PAGES = 8;

/** Some upstreams refuse a call until somebody has visited a page, and say which. */
function pagesToVisit({ code, data }: ProtocolError): { readonly elicitations?: readonly JsonObject[] } {
  const pages = code === URL_ELICITATION_REQUIRED && isObject(data) ? data['elicitations'] : undefined;
  if (!Array.isArray(pages) || pages.length > MOST_PAGES) return {};
  const visitable = pages.filter((page) => isObject(page) && isWebPage(page['url']));
  return visitable.length === 0 ? {} : { elicitations: visitable };
}

const MISSING_CAPABILITY = -32_021;
const ASKABLE = new Set(['elicitation', 'sampling', 'roots']);

/** What the upstream would have to ask, or a task. It was told what the caller can do of that, so this is what the caller lacks. */
function abilitiesMissing({ code, data }: ProtocolError): { readonly requiredCapabilities?: JsonObject } {
  const required = code === MISSING_CAPABILITY && isObject(data) ? data['requiredCapabilities'] : undefined;
  if (!isObject(required) || !Object.entries(required).every(isOfCaller)) return {};
  return { requiredCapabilities: required };
}

function isOfCaller([kind, value]: readonly [string, unknown]): boolean {
  if (kind !== 'extensions') return ASKABLE.has(kind);
  return isObject(value) && Object.keys(value).every((name) => name === TASKS_EXTENSION);
}

const RESOURCE_NOT_FOUND = -32_002;

/** That a resource does not exist upstreams say by a code of its own, or by invalid params that name the address. */
function namesMissing({ code, data }: ProtocolError): boolean {
  return (
    code === RESOURCE_NOT_FOUND ||
    (code === INVALID_PARAMS && isObject(data) && typeof data['uri'] === 'string')
  );
}

type Row = readonly [HubErrorCode, string];

const TRANSPORT: Readonly<Record<TransportErrorCode, Row>> = {
  CONNECT_FAILED: ['upstream_unavailable', 'cannot be reached'],
  CONNECTION_CLOSED: ['upstream_closed', 'the connection ended before the answer'],
  EGRESS_DENIED: ['egress_denied', 'its address is not allowed'],
  TIMEOUT_CONNECT: ['upstream_unavailable', 'did not accept a connection in time'],
  TIMEOUT_FIRST_BYTE: ['upstream_timeout', 'did not answer in time'],
  TIMEOUT_IDLE: ['upstream_timeout', 'went silent'],
  TIMEOUT_TOTAL: ['upstream_timeout', 'did not finish in time'],
  ABORTED: ['cancelled', 'the call was cancelled'],
  HTTP_STATUS: ['upstream_unavailable', 'answered with an error'],
  HTTP_UNAUTHORIZED: ['credential_required', 'did not accept the credential'],
  HTTP_FORBIDDEN: ['credential_required', 'refused access'],
  HTTP_NOT_ACCEPTABLE: ['upstream_protocol', 'does not accept how we ask'],
  HTTP_REDIRECT: ['upstream_protocol', 'redirects, which is not followed'],
  HTTP_SESSION_REQUIRED: ['upstream_protocol', 'wants a session it did not give'],
  HTTP_WRONG_CONTENT_TYPE: ['upstream_protocol', 'answered with something that is not MCP'],
  HTTP_EMPTY_BODY: ['upstream_protocol', 'answered nothing'],
  HTTP_BODY_TOO_LARGE: ['upstream_too_large', 'the answer is too large'],
  HTTP_INVALID_BODY: ['upstream_protocol', 'the answer cannot be read'],
  SSE_EVENT_DATA_TOO_LARGE: ['upstream_too_large', 'an event is too large'],
  SSE_STREAM_TOO_LARGE: ['upstream_too_large', 'the stream is too large'],
  INVALID_SSE_EVENT_DATA: ['upstream_protocol', 'an event cannot be read'],
  SSE_STREAM_LOST: ['upstream_closed', 'the stream was lost'],
  MCP_SESSION_NOT_FOUND: ['upstream_closed', 'forgot our session; a new one is used from now on'],
  STDIO_SPAWN_FAILED: ['upstream_unavailable', 'the process could not be started'],
  STDIO_PIN_BROKEN: ['upstream_unavailable', 'the process was not started'],
  STDIO_EXITED: ['upstream_closed', 'the process ended'],
  STDIO_LINE_TOO_LONG: ['upstream_too_large', 'a line is too long'],
  STDIO_STDIN_FULL: ['overloaded', 'the process does not read'],
  STDIO_OVER_LIMIT: ['upstream_closed', 'the process used more than its limits allow and was ended'],
};

const CLIENT: Readonly<Record<ClientErrorCode, Row>> = {
  incompatible_version: ['upstream_protocol', 'speaks no protocol version in common'],
  invalid_response: ['upstream_protocol', 'answered against the protocol'],
  timeout: ['upstream_timeout', 'did not answer in time'],
  aborted: ['cancelled', 'the call was cancelled'],
  closed: ['upstream_closed', 'the conversation was ended'],
  session_lost: ['upstream_closed', 'forgot our session; a new one is used from now on'],
  page_limit: ['upstream_protocol', 'its list has too many pages'],
  cursor_repeated: ['upstream_protocol', 'its list does not end'],
  round_limit: ['upstream_protocol', 'kept asking for input'],
  input_refused: ['cancelled', 'input was refused'],
  input_failed: ['upstream_protocol', 'asked for input that could not be given'],
  task_cancelled: ['cancelled', 'the task was cancelled'],
  task_lost: ['upstream_unavailable', 'could not be asked any more what becomes of the task it began'],
};
