import { isObject, type Json, type JsonObject } from '../mcp/jsonrpc/index.js';

const KEYWORD = 'x-mcp-header';

/** The schema without header annotations. Returns the same object when there are none, which is the rule. */
export function stripParamHeaders(schema: JsonObject): JsonObject {
  return JSON.stringify(schema).includes(`"${KEYWORD}"`) ? (strip(schema) as JsonObject) : schema;
}

/** Inside `properties` the word is a name, not a keyword. */
function strip(value: Json, inProperties = false): Json {
  if (Array.isArray(value)) return value.map((item) => strip(item));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => inProperties || key !== KEYWORD)
      .map(([key, member]) => [
        key,
        member === undefined ? member : strip(member, !inProperties && key === 'properties'),
      ]),
  );
}
