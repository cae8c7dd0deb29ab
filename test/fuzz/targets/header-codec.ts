import { ProtocolError } from '../../../src/mcp/jsonrpc/index.js';
import { decodeHeaderValue, encodeHeaderValue, HEADER_MISMATCH } from '../../../src/mcp/wire/index.js';
import { promise, textOf, type FuzzTarget } from '../target.js';

/** Values of headers, in both directions. */
export const HEADER_CODEC: FuzzTarget = {
  name: 'header-codec',
  dictionary: [
    '=?base64?',
    '?=',
    '=?BASE64?',
    '=',
    '==',
    '====',
    ' ',
    '\t',
    'YQ',
    'w7Y=',
    '77u/',
    '/w==',
    '\u00a0',
    'ö',
    '-_',
  ],
  run(input) {
    const text = textOf(input);
    const encoded = encodeHeaderValue(text);
    promise(
      /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(encoded),
      'a header can carry what was encoded',
    );
    promise(decodeHeaderValue(encoded) === text, 'what was encoded is decoded');
    // Node hands over the bytes of a header as Latin-1.
    return decode(Buffer.from(input).toString('latin1'));
  },
};

function decode(raw: string): string {
  let value: string;
  try {
    value = decodeHeaderValue(raw);
  } catch (error) {
    if (error instanceof ProtocolError && error.code === HEADER_MISMATCH) return error.message;
    throw error;
  }
  promise(decodeHeaderValue(encodeHeaderValue(value)) === value, 'what was decoded can be encoded');
  return value === raw ? 'literal' : 'decoded';
}
