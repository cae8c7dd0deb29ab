import {
  answeredId,
  InvalidMessage,
  JsonError,
  parseMessage,
  seeminglyAnsweredId,
  toMessage,
  TOLERANT_JSON,
  type ErrorMessage,
  type Json,
  type Message,
  type RequestId,
} from '../jsonrpc/index.js';
import { decodeUtf8 } from '../sse/index.js';
import { withoutMark } from './http-body-kind.js';
import { readProgress } from './read-progress.js';

export interface MessageSink {
  message(message: Message): void;
  /** Text that is no message; with the id of the request it seems to answer. */
  unreadable(why: 'not_json' | 'not_jsonrpc', id: RequestId | undefined): void;
}

/** One body or the data of one event. Servers of 2025-03-26 may put several messages into an array. */
export function readMessages(text: string, sink: MessageSink): void {
  const progress = readProgress(text);
  if (progress !== undefined) return sink.message(progress);
  let value: Json;
  try {
    value = parseMessage(text, TOLERANT_JSON);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    sink.unreadable('not_json', error.isTooMuch ? seeminglyAnsweredId(text) : undefined);
    return;
  }
  if (!Array.isArray(value)) return readMessage(value, sink);
  if (value.length === 0) sink.unreadable('not_jsonrpc', undefined);
  for (const item of value) readMessage(item, sink);
}

function readMessage(value: Json, sink: MessageSink): void {
  let message: Message;
  try {
    message = toMessage(value);
  } catch (error) {
    if (!(error instanceof InvalidMessage)) throw error;
    sink.unreadable('not_jsonrpc', answeredId(value));
    return;
  }
  sink.message(message);
}

/** The error with which a peer refused our request, if the body is one. `anonymous`: also one that names no id. */
export function peerErrorIn(body: Buffer, id: RequestId, anonymous: boolean): ErrorMessage | undefined {
  const text = decodeUtf8(withoutMark(body));
  if (text === undefined) return undefined;
  let found: ErrorMessage | undefined;
  readMessages(text, {
    message(message) {
      if (message.kind !== 'error') return;
      if (message.id === undefined ? anonymous : String(message.id) === String(id))
        found ??= { ...message, id };
    },
    unreadable() {},
  });
  return found;
}
