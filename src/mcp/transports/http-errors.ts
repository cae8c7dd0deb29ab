import { SseFault } from '../sse/index.js';
import { challengeOf, retryAfterOf, type AnswerHeaders } from './http-headers.js';
import { TransportError } from './transport.js';

/** We closed the connections ourselves. */
export class LinesClosed extends Error {
  override readonly name = 'LinesClosed';
  readonly code = 'UND_ERR_CLOSED';
  constructor() {
    super('the connections were closed');
  }
}

/** How far an HTTP request had come. */
export type Stage = 'connecting' | 'waiting' | 'receiving';

/** Statuses with which a server says that it did not look at the message. */
const NOT_RUN: ReadonlySet<number> = new Set([401, 406, 429]);

/** An answer whose status alone tells that it is no answer to the message. */
export function statusError(status: number, headers: AnswerHeaders, hadSession: boolean): TransportError {
  const mayHaveArrived = !NOT_RUN.has(status);
  if (status >= 300 && status < 400) {
    return new TransportError('HTTP_REDIRECT', `the server redirects (status ${status})`, { status });
  }
  if (status === 404 && hadSession) {
    return new TransportError('MCP_SESSION_NOT_FOUND', 'the server does not know the session any more', {
      status,
      mayHaveArrived: false,
    });
  }
  const challenge = challengeOf(headers);
  const withChallenge = challenge === undefined ? {} : { challenge };
  switch (status) {
    case 401:
      return new TransportError('HTTP_UNAUTHORIZED', 'the server wants authorization', {
        status,
        mayHaveArrived,
        ...withChallenge,
      });
    case 403:
      return new TransportError('HTTP_FORBIDDEN', 'the server forbids the request', {
        status,
        ...withChallenge,
      });
    case 406:
      return new TransportError('HTTP_NOT_ACCEPTABLE', 'the server offers no answer of an acceptable type', {
        status,
        mayHaveArrived,
      });
    default: {
      const retryAfterMs = status === 429 || status === 503 ? retryAfterOf(headers) : undefined;
      return new TransportError('HTTP_STATUS', `the server answered with status ${status}`, {
        status,
        mayHaveArrived,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      });
    }
  }
}

/** Whether the body of such an answer can change nothing: what to do next depends on the status alone. */
export function isDecidedByStatus(status: number, headers: AnswerHeaders, hadSession: boolean): boolean {
  if (status < 400 || status === 403 || NOT_RUN.has(status)) return true;
  return (status === 404 && hadSession) || (status === 503 && retryAfterOf(headers) !== undefined);
}

/** What undici or the socket reported. Its own text is not repeated: it may quote what the peer sent. */
export function networkError(error: unknown, stage: Stage): TransportError {
  if (error instanceof TransportError) return error;
  const code = codeOf(error);
  if (stage === 'connecting') return connectError(error, code);
  if (error instanceof Error && error.name === 'HTTPParserError') {
    // The parser quotes what it could not read. With nothing to quote, it was the end that came too early.
    return 'data' in error && error.data === ''
      ? closed()
      : new TransportError('HTTP_INVALID_BODY', 'the answer is not valid HTTP');
  }
  switch (code) {
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return stage === 'receiving'
        ? closed()
        : new TransportError('HTTP_INVALID_BODY', 'the answer contradicts itself about its length');
    case 'UND_ERR_HEADERS_OVERFLOW':
      return new TransportError('HTTP_BODY_TOO_LARGE', 'the head of the answer is too large');
    case 'UND_ERR_RES_EXCEEDED_MAX_SIZE':
      return new TransportError('HTTP_BODY_TOO_LARGE', 'the answer is too large');
    case 'UND_ERR_HEADERS_TIMEOUT':
      return new TransportError('TIMEOUT_FIRST_BYTE', 'no answer in time');
    case 'UND_ERR_BODY_TIMEOUT':
      return new TransportError('TIMEOUT_IDLE', 'the answer stopped in the middle');
    default:
      return closed(error);
  }
}

/** The connection ended while there was still something to come. */
export function closed(cause?: unknown): TransportError {
  return new TransportError('CONNECTION_CLOSED', 'the connection closed before the answer was complete', {
    cause,
  });
}

function connectError(cause: unknown, code: string): TransportError {
  const mayHaveArrived = false;
  switch (code) {
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return new TransportError('TIMEOUT_CONNECT', 'no connection in time', { cause, mayHaveArrived });
    case 'UND_ERR_DESTROYED':
    case 'UND_ERR_CLOSED':
      return new TransportError('CONNECTION_CLOSED', 'the connections were closed', {
        cause,
        mayHaveArrived,
      });
    case 'UND_ERR_INVALID_ARG':
    case 'UND_ERR_NOT_SUPPORTED':
      return new TransportError('CONNECT_FAILED', 'the request has a header that cannot be sent', {
        mayHaveArrived,
      });
    default:
      return new TransportError('CONNECT_FAILED', 'no connection to the server', { cause, mayHaveArrived });
  }
}

/** What decoding an event stream threw. Anything but a fault of the stream is a defect and passes. */
export function streamError(error: unknown): TransportError {
  if (!(error instanceof SseFault)) throw error;
  return error.kind === 'not_utf8'
    ? new TransportError('INVALID_SSE_EVENT_DATA', error.message)
    : new TransportError('SSE_EVENT_DATA_TOO_LARGE', error.message);
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
