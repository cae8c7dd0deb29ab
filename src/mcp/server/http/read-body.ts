import { isAscii, isUtf8 } from 'node:buffer';
import {
  INVALID_REQUEST,
  JsonError,
  PARSE_ERROR,
  parseJson,
  ProtocolError,
  STRICT_JSON,
  type Json,
} from '../../jsonrpc/index.js';

/** The body as a JSON value, or a protocol error that says what is wrong with it. */
export function readJsonBody(bytes: Uint8Array): Json {
  try {
    return parseJson(decodeStrictly(bytes), STRICT_JSON);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    if (error.fault === 'syntax') throw new ProtocolError(PARSE_ERROR, 'Parse error');
    throw new ProtocolError(INVALID_REQUEST, error.message);
  }
}

/** Bytes that are not UTF-8 are not replaced but refused. A byte order mark is left to the parser, which ignores one. */
function decodeStrictly(bytes: Uint8Array): string {
  const buffer = Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // The text of an ASCII body is its bytes; V8 copies them faster than it decodes.
  if (isAscii(buffer)) return buffer.toString('latin1');
  if (!isUtf8(buffer)) throw new ProtocolError(PARSE_ERROR, 'Parse error');
  return buffer.toString('utf8');
}
