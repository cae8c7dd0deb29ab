import {
  InvalidMessage,
  JsonError,
  parseJson,
  STRICT_JSON,
  stringifyJson,
  TOLERANT_JSON,
  toMessage,
  writeError,
  writeNotification,
  writeRequest,
  writeResult,
  type Json,
  type JsonLimits,
  type Message,
} from '../../../src/mcp/jsonrpc/index.js';
import { promise, textOf, type FuzzTarget } from '../target.js';

/** The text of a message: parsed, taken for a message, written again. */
export const JSON_TARGET: FuzzTarget = {
  name: 'json',
  dictionary: [
    '{"',
    '":',
    '[',
    ']',
    '}',
    ',',
    '"',
    '\\"',
    '\\\\',
    '\\u0022',
    '\\ud800',
    '\ufeff',
    'null',
    'true',
    '-',
    '-0',
    '1e400',
    '9007199254740993',
    '0.1000000000000000055',
    '1.',
    '.5',
    'E+',
    '"__proto__":',
    '"constructor":',
    '"jsonrpc":"2.0"',
    '"id":',
    '"method":"ping"',
    '"params":{}',
    '"result":',
    '"error":{"code":-1,"message":""}',
    '"toJSON":',
  ],
  run(input) {
    const text = textOf(input);
    const strict = parse(text, STRICT_JSON);
    const tolerant = parse(text, TOLERANT_JSON);
    compareWithJson(text, tolerant);
    if (strict instanceof JsonError) {
      promise(
        strict.fault !== 'syntax' || tolerant instanceof JsonError,
        'strict limits do not change the syntax',
      );
      return strict.fault;
    }
    const written = stringifyJson(strict);
    promise(
      !(tolerant instanceof JsonError) && stringifyJson(tolerant) === written,
      'limits do not change the value',
    );
    promise(stringifyJson(parseJson(written)) === written, 'what is written reads as the same');
    return readMessage(strict);
  },
};

function parse(text: string, limits: JsonLimits): Json | JsonError {
  try {
    return parseJson(text, limits);
  } catch (error) {
    if (error instanceof JsonError) return error;
    throw error;
  }
}

function compareWithJson(text: string, ours: Json | JsonError): void {
  if (ours instanceof JsonError && ours.fault !== 'syntax') return;
  let theirs: unknown;
  try {
    theirs = JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
  } catch {
    promise(ours instanceof JsonError, 'accepts only what JSON.parse accepts');
    return;
  }
  promise(!(ours instanceof JsonError), 'accepts all that JSON.parse accepts');
  promise(JSON.stringify(ours) === JSON.stringify(theirs), 'means what JSON.parse says');
}

function readMessage(value: Json): string {
  let message: Message;
  try {
    message = toMessage(value);
  } catch (error) {
    if (error instanceof InvalidMessage) return error.message;
    throw error;
  }
  const text = write(message);
  promise(write(toMessage(parseJson(text))) === text, 'a message written is the same message');
  return message.kind;
}

function write(message: Message): string {
  switch (message.kind) {
    case 'request':
      return writeRequest(message.id, message.method, message.params);
    case 'notification':
      return writeNotification(message.method, message.params);
    case 'result':
      return writeResult(message.id, stringifyJson(message.result));
    case 'error':
      return writeError(message.id, message.error);
  }
}
