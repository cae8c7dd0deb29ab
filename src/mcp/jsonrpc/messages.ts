import { INVALID_PARAMS, INVALID_REQUEST, ProtocolError, type ErrorObject } from './errors.js';
import type { Json, JsonObject } from './json.js';
import { JsonNumber } from './json-number.js';

export type RequestId = string | number;

export interface RequestMessage {
  readonly kind: 'request';
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject | undefined;
}
export interface NotificationMessage {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: JsonObject | undefined;
}
export interface ResultMessage {
  readonly kind: 'result';
  readonly id: RequestId;
  readonly result: Json;
}
export interface ErrorMessage {
  readonly kind: 'error';
  /** Absent when the peer could not read the id of what it answers. */
  readonly id: RequestId | undefined;
  readonly error: ErrorObject;
}
export type ResponseMessage = ResultMessage | ErrorMessage;
export type Message = RequestMessage | NotificationMessage | ResponseMessage;

/** A message that is not JSON-RPC 2.0, with its id where that could still be read. */
export class InvalidMessage extends ProtocolError {
  readonly id: RequestId | undefined;
  constructor(message: string, id: RequestId | undefined, code: number = INVALID_REQUEST) {
    super(code, message);
    this.id = id;
  }
}

const MAX_ID_LENGTH = 256;
const MAX_METHOD_LENGTH = 128;

/** Turns a parsed value into a message, or throws `InvalidMessage`. */
export function toMessage(value: Json | undefined): Message {
  if (!isObject(value)) throw new InvalidMessage('a message must be a JSON object', undefined);
  const id = isRequestId(value['id']) ? value['id'] : undefined;
  if (value['jsonrpc'] !== '2.0') throw new InvalidMessage('jsonrpc must be "2.0"', id);
  const answers = value['result'] !== undefined || value['error'] !== undefined;
  if (value['method'] !== undefined) {
    if (answers) throw new InvalidMessage('a message is either a call or an answer', id);
    return toCall(value, id);
  }
  if (!answers) throw new InvalidMessage('a message needs a method, a result or an error', id);
  return toResponse(value, id);
}

function toCall(value: JsonObject, id: RequestId | undefined): RequestMessage | NotificationMessage {
  const { method, params } = value;
  if (typeof method !== 'string' || method === '' || method.length > MAX_METHOD_LENGTH) {
    throw new InvalidMessage(`method must be a string of 1 to ${MAX_METHOD_LENGTH} characters`, id);
  }
  if (value['id'] !== undefined && id === undefined) {
    throw new InvalidMessage(
      `id must be an integer or a string of at most ${MAX_ID_LENGTH} bytes`,
      undefined,
    );
  }
  if (params !== undefined && !isObject(params)) {
    throw new InvalidMessage('params must be an object', id, INVALID_PARAMS);
  }
  return id === undefined
    ? { kind: 'notification', method, params }
    : { kind: 'request', id, method, params };
}

function toResponse(value: JsonObject, id: RequestId | undefined): ResponseMessage {
  const { result, error } = value;
  if (error === undefined) {
    if (id === undefined) throw new InvalidMessage('a result needs the id of its request', undefined);
    return { kind: 'result', id, result: result as Json };
  }
  if (result !== undefined) throw new InvalidMessage('an answer has a result or an error, not both', id);
  if (value['id'] !== undefined && value['id'] !== null && id === undefined) {
    throw new InvalidMessage('the id of an answer must be a string or an integer', undefined);
  }
  if (!isObject(error) || !Number.isSafeInteger(error['code']) || typeof error['message'] !== 'string') {
    throw new InvalidMessage('an error needs an integer code and a message', id);
  }
  return { kind: 'error', id, error: error as unknown as ErrorObject };
}

/** The id of the request that an invalid message seems to answer: one of ours, unless it is a request itself. */
export function answeredId(value: Json): RequestId | undefined {
  if (!isObject(value) || value['method'] !== undefined) return undefined;
  return isRequestId(value['id']) ? value['id'] : undefined;
}

const ID_FIRST = /^\{(?:"jsonrpc":"2\.0",)?"id":(\d{1,15}|"[^"\\]{0,64}"),"(?:result|error)":/;
const ID_LAST = /[}\]"],(?:"jsonrpc":"2\.0",)?"id":(\d{1,15}|"[^"\\]{0,64}")(?:,"jsonrpc":"2\.0")?\}$/;
const RESULT_FIRST = /^\{(?:"jsonrpc":"2\.0",)?"(?:result|error)":/;
const LAST_LENGTH = 128;

/** The same for a text that is too much to be parsed, if the id stands where servers write it: before the result or behind it. */
export function seeminglyAnsweredId(text: string): RequestId | undefined {
  const last = RESULT_FIRST.test(text) ? ID_LAST.exec(text.slice(-LAST_LENGTH)) : undefined;
  const [, id] = ID_FIRST.exec(text) ?? last ?? [];
  return id === undefined ? undefined : (JSON.parse(id) as RequestId);
}

/** Whether a parsed value is a JSON object. An exact number is one only to JavaScript. */
export function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
  );
}

/** The same object where there are none, which is the rule. Some peers write null for what they leave out. */
export function withoutNullMembers(value: JsonObject): JsonObject {
  return Object.values(value).includes(null)
    ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
    : value;
}

export function isRequestId(value: unknown): value is RequestId {
  if (typeof value === 'number') return Number.isSafeInteger(value);
  if (typeof value !== 'string') return false;
  return value.length <= MAX_ID_LENGTH && Buffer.byteLength(value) <= MAX_ID_LENGTH && isWellFormed(value);
}

/** No lone surrogates: such a string has no UTF-8 form and could not be echoed. */
function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
