import {
  isObject,
  JsonError,
  parseJson,
  ProtocolError,
  type Json,
  type JsonObject,
} from '../../../src/mcp/jsonrpc/index.js';
import { withoutParamHeaders } from '../../../src/mcp/model/index.js';
import {
  checkParamHeaders,
  HEADER_MISMATCH,
  readParamHeaders,
  writeParamHeaders,
} from '../../../src/mcp/wire/index.js';
import { promise, textOf, type FuzzTarget } from '../target.js';

/** `{"schema":…,"args":…,"headers":…}`: the annotations of a schema and a call with them. */
export const PARAM_HEADERS: FuzzTarget = {
  name: 'param-headers',
  dictionary: [
    '"schema":',
    '"args":',
    '"headers":',
    '"properties":{',
    '"x-mcp-header":"A"',
    '"x-mcp-header":"b"',
    '"type":"string"',
    '"type":"integer"',
    '"type":"boolean"',
    '"items":',
    '"anyOf":[',
    '"$defs":{',
    '"const":',
    '"enum":[',
    '"default":',
    '"__proto__":',
    '"mcp-param-a":"',
    '42',
    '42.0',
    '9007199254740993',
    '1e21',
    'null',
    'true',
    '=?base64?',
    '?=',
    '{',
    '}',
    ',',
  ],
  run(input) {
    const value = parse(textOf(input));
    const { schema, args, headers } = isObject(value) ? value : {};
    if (!isObject(schema)) return 'no schema';
    const read = readParamHeaders(schema);
    const stripped = readParamHeaders(withoutParamHeaders(schema));
    promise(!stripped.valid || stripped.params.length === 0, 'annotations that were taken out are gone');
    if (!read.valid) return read.reason;
    const call = isObject(args) ? args : undefined;
    checkParamHeaders(read.params, call, writeParamHeaders(read.params, call));
    return `${read.params.length} ${check(read.params, call, isObject(headers) ? headers : {})}`;
  },
};

function parse(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) return null;
    throw error;
  }
}

function check(
  params: Parameters<typeof checkParamHeaders>[0],
  args: JsonObject | undefined,
  sent: JsonObject,
): string {
  const headers = Object.fromEntries(
    Object.entries(sent).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  ) as Record<string, string>;
  try {
    checkParamHeaders(params, args, headers);
    return 'accepted';
  } catch (error) {
    if (error instanceof ProtocolError && error.code === HEADER_MISMATCH) return 'refused';
    throw error;
  }
}
