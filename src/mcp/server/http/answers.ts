import { writeError, type ProtocolError, type RequestId } from '../../jsonrpc/index.js';
import { HEADER_REVISION, isModernDate } from '../../wire/index.js';
import { writeEvent } from '../../sse/index.js';
import type { AnswerHeaders, Exchange } from '../exchange.js';
import type { Accepted } from './media-types.js';

/** Answers are about one moment and one principal: nobody may keep them, and nobody may guess at their type. */
export const JSON_HEADERS: AnswerHeaders = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};
export const EMPTY_HEADERS: AnswerHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};
/** Proxies must neither store, nor change, nor hold back a stream. */
export const STREAM_HEADERS: AnswerHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-cache, no-transform',
  'x-content-type-options': 'nosniff',
  'x-accel-buffering': 'no',
};

/** To whom asked for more than we can do now. */
export const BUSY_HEADERS: AnswerHeaders = { ...JSON_HEADERS, 'retry-after': '1' };

export function busyHeaders(retryAfterMs = 0): AnswerHeaders {
  return retryAfterMs <= 1_000
    ? BUSY_HEADERS
    : { ...JSON_HEADERS, 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) };
}

export function sendAccepted(exchange: Exchange): void {
  exchange.send(202, EMPTY_HEADERS);
}

/** A result in whichever of the two forms the client accepts. */
export function sendResult(
  exchange: Exchange,
  accepted: Accepted,
  text: string,
  headers?: AnswerHeaders,
): void {
  if (accepted.json) exchange.send(200, { ...JSON_HEADERS, ...headers }, text);
  else exchange.send(200, { ...STREAM_HEADERS, ...headers }, writeEvent({ data: text }));
}

/** `null` stands for the id of a request that could not be read; what it looks like depends on the era. */
export function sendError(
  exchange: Exchange,
  status: number,
  id: RequestId | null,
  error: ProtocolError,
  headers: AnswerHeaders = JSON_HEADERS,
): void {
  const shownId = id === null && isModernDate(exchange.headers[HEADER_REVISION]) ? undefined : id;
  exchange.send(status, headers, writeError(shownId, error.toErrorObject()));
}

/** For requests that carry no message: a refusal without an id. */
export function sendRefusal(
  exchange: Exchange,
  status: number,
  code: number,
  message: string,
  headers: AnswerHeaders = JSON_HEADERS,
): void {
  exchange.send(status, headers, writeError(undefined, { code, message }));
}

export function withHeader(
  name: string,
  value: string,
  headers: AnswerHeaders = JSON_HEADERS,
): AnswerHeaders {
  return { ...headers, [name]: value };
}
